/** Words the rules are made of: each is a choice of alternatives, as a part of a pattern. */

/** A phrase, and how much it says: 1 alone is enough. */
export interface Rule {
  readonly pattern: RegExp;
  readonly weight: number;
}
export const rule = (pattern: string, weight = 1): Rule => ({
  pattern: new RegExp(`(?<![\\p{L}\\d])(?:${pattern})(?![\\p{L}])`, "u"),
  weight,
});

/** Up to so many words between two others. */
export const gap = (words: number): string => String.raw`(?:[^\s.,;:!?]{1,20},?\s){0,${words}}`;

export const I_WILL = `(?:i'?ll|i will|i'?m (?:really )?(?:going to|gonna|about to)|i am (?:going to|gonna|about to)|ima|imma|i'?m gunna|gonna|we'?ll|we will|we'?re (?:going to|gonna)|we are going to|i swear (?:i'?ll|i will|to god i'?ll)|somebody should|someone should|someone (?:needs|ought) to|somebody (?:needs|ought) to|i want to|i'?d love to|i would love to|i wanna|let'?s(?: go)?|we should(?: just)?|time to|going to|planning to|i plan to|i'?m planning to)`;
export const HURT = `(?:kill|murder|stab|shoot|strangle|choke|hurt|slaughter|butcher|gut|torture|bash|beat up|beat|punch|smash|slit|cut|burn|drown|hang|lynch|bury|crush|break|snap|bomb|blow up|run over|poison|execute|massacre|destroy|end|behead|skin|shank|whack|bludgeon)`;
/** Whom a threat is against; "the lights" can be killed too. */
export const SOMEBODY = String.raw`(?:you(?! (?:at|up|a|an|some|the|by \d|to (?:it|the)|back|off|next time we play|in (?:chess|tennis|paperwork|work|debt|snow|cards|the (?:game|race|final|next)))(?!\p{L}))(?!r (?:code|chances|score|record|time|app|process|bill|hopes?|game|dreams|budget|high score|competition|bread|eggs|price|dough))(?:r (?:face|head|skull|throat|neck|legs?|arms?|bones|kneecaps|fingers|family|kids|children|wife|husband|mother|mom|dad|brother|sister|dog|house|car))?|him|them all|every ?(?:one|body|single one of (?:you|them))|her (?:face|throat|neck|in)|her(?=[.!?]|$| tonight| tomorrow| when| if| for)|(?:my|his|her|our|that|the|this|these|those) (?:wife|husband|boss|neighbou?r|neighbou?rs|teacher|ex|ex-wife|ex-husband|ex-girlfriend|ex-boyfriend|girlfriend|boyfriend|brother|sister|mother|father|mom|dad|coworkers?|classmates?|roommate|landlord|judge|cops?|kids?|guy|man|woman|bitch|bastard|traitors?|politicians?|president|mayor|students|protesters|referee|people)|people|all of (?:you|them)|cops|as many (?:people|of them) as)`;

export const GROUP = `(?:jews?|jewish people|the jews|muslims?|blacks|black people|whites|white people|gays|gay people|gay men|lesbians|homosexuals|queers|trans people|transgender people|transsexuals|immigrants|migrants|refugees|foreigners|mexicans|latinos|hispanics|asians|chinese people|arabs|africans|indians|pakistanis|gypsies|roma people|hindus|christians|catholics|sikhs|buddhists|women|females|disabled people|the disabled|cripples|old people|indigenous people|natives|native americans|aboriginals|somalis|turks|poles|haitians|people of (?:that|this|his|her|your|their) (?:race|colou?r|religion|faith|kind)|people like (?:them|that) (?:from|of)|that (?:race|religion|ethnicity)|n[*#@]{1,4}g?g?[*#@]*[e*]?r?s?|f[*#@]{1,4}g*[o*#@]*t?s|k[*#@]{1,3}kes?|sp[*#@]cs?|every (?:jew|muslim|refugee|immigrant|gay|foreigner|arab|mexican|gypsy|migrant)|ch[*#@]nks?|tr[*#@]nn(?:y|ies))`;
export const VILE = `(?:vermin|animals|sub-?human|filth|filthy|parasites?|inferior|disgusting|criminals|trash|garbage|scum|a disease|diseased|rats|cockroaches|roaches|stupid|worthless|lazy|thieves|less than human|not (?:really |even )?human|dirty|savages|rapists|terrorists|a plague|a cancer|a curse|evil|degenerates?|perverts|an abomination|abominations|monkeys|apes|pigs|dogs|leeches|useless|liars|too emotional|retarded|mentally ill|freaks|an infestation|invaders|greedy|primitive|uncivili[sz]ed|backwards?)`;

export const INSULT = `(?:idiot|moron|imbecile|loser|worthless|pathetic|disgusting|stupid|dumb|dumbass|ugly|retard(?:ed)?|scumbag|scum|pig|cow|clown|freak|creep|cretin|dimwit|halfwit|twat|prick|bastard|bitch|whore|slut|asshole|arsehole|a[*]{1,2}hole|b[*]tch|wh[*]re|sl[*]t|c[*]{1,2}t|dipshit|piece of (?:trash|garbage|crap|shit|s[*]+t|filth)|waste of (?:space|air|oxygen|skin|breath)|joke|nobody|failure|disgrace|embarrassment|coward|rat|snake|troll|vermin|garbage|trash|useless|brainless|fat|hideous|spineless|talentless|incompetent fool|fool|good for nothing|brain-?dead)`;

export const MINOR = String.raw`(?:child(?:ren)?|kids?|minors?|under-?age(?:d)?|pre-?teens?|toddlers?|infants?|school-?(?:girl|boy)s?|little (?:girl|boy)s?|young (?:girl|boy)s?|teenage (?:girl|boy)s?|\d{1,2}(?<!1[89])(?<![2-9]\d) ?-?(?:years?|yrs?|yo|y\/o)(?:[- ]?olds?)?|jailbait|loli(?:ta)?s?|shota|(?:sixth|seventh|eighth|ninth|fifth|fourth)[- ]graders?|middle ?school(?:er|ers)?|daughter|stepdaughter|son|niece|nephew|students? of mine|my students?|pupils?)`;
export const SEX = String.raw`(?:sex|sexual|sexually|sexy|erotic|erotica|porn|pornographic|porno|nudes?|naked|nude|undress(?:ed|ing)?|strip(?:s|ping|tease)?|orgasms?|masturbat\p{L}*|blow ?jobs?|fuck(?:s|ed|ing)?|f[*]{1,2}k(?:ed|ing)?|horny|aroused|seduc\p{L}*|make love|making love|moan(?:s|ed|ing)?|lewd|topless|lingerie|explicit (?:photos?|pictures?|images?|scene|story)|intimate (?:photos?|pictures?|images?)|hook up|grope[sd]?|groping|fondl\p{L}*|touch(?:es|ed|ing)? (?:himself|herself|myself|her|him) (?:there|between)|smut|kinky|fetish|nsfw|xxx|hentai|sexting|sext)`;
