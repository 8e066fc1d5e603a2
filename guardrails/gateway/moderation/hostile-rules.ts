import { gap, GROUP, HURT, I_WILL, INSULT, rule, VILE, type Rule } from "./words.ts";

const AM = "(?:'?re| are| r|r (?=an? |such |so ))";

/** Hatred of groups, and attacks on somebody. Phrases rather than words: what is said of whom. Other languages than English have the plainest only. */
export const HOSTILE = {
  hate: [
    rule(`${GROUP} ${gap(2)}(?:are|is) ${gap(3)}${VILE}`),
    rule(
      `are (?:all )?${GROUP} ${gap(2)}${VILE}|${GROUP} (?:smell|stink|breed like|are taking|always lie|only steal)|women belong in the kitchen`,
    ),
    rule(
      `(?:i|we) (?:really |fucking |just |absolutely )?(?:hate|despise|detest|loathe|can'?t stand) (?:all |the |those |these )?${GROUP}`,
    ),
    rule(`(?:all|those|these|filthy|dirty|damn|stinking|bloody) ${GROUP} ${gap(3)}(?:ruin|steal|destroy|invade|poison|infest|rot|taint)`),
    rule(`${GROUP} ${gap(2)}(?:are|keep) (?:ruining|stealing|destroying|invading|poisoning|infesting|taking over|replacing)`),
    rule(
      `${GROUP} ${gap(1)}(?:should|must|ought to|need to|shouldn'?t|should not|don'?t|do not|can'?t|cannot) ${gap(1)}(?:be (?:banned|deported|kept out|thrown out|allowed|segregated|sterili[sz]ed|locked up|treated as)|go back|belong|deserve (?:rights|respect|to)|know their place|be trusted|stay in the kitchen|vote|breed)`,
    ),
    rule(`(?:get rid of|keep out|throw out|kick out|ban|no more) (?:all |the |those |these |every ){0,2}${GROUP}`),
    rule(`(?:dirty|filthy|stinking|typical|subhuman|disgusting|greedy|lazy|inferior) ${GROUP}`, 0.8),
    rule(
      `(?:white|aryan|racial) (?:power|supremacy (?:is|now|forever)|purity)|master race|pure bloodline|keep (?:our|the) (?:race|blood) pure`,
    ),
    rule(`(?:n[*#@]{1,4}gg?[*#@]*[e*]?r|f[*#@]{1,4}gg?[*#@]*t|k[*#@]{1,3}ke|ch[*#@]nk|tr[*#@]nny)s?`, 0.8),
    rule(
      "(?:odio|odiamos) a (?:los|las|todos los) (?:judíos|musulmanes|negros|gitanos|inmigrantes|moros|homosexuales|extranjeros)|(?:los|las) (?:judíos|musulmanes|negros|gitanos|inmigrantes|moros|homosexuales|extranjeros) son (?:\\p{L}+ )?(?:basura|ratas|escoria|parásitos|animales|inferiores|ladrones|una plaga)",
    ),
    rule(
      "(?:je|on) (?:hais|déteste|hait) (?:tous )?les (?:juifs|musulmans|noirs|arabes|immigrés|homosexuels|étrangers|roms)|les (?:juifs|musulmans|noirs|arabes|immigrés|homosexuels|étrangers|roms) sont (?:\\p{L}+ )?(?:des )?(?:rats|parasites|sous-hommes|animaux|vermine|inférieurs|voleurs|déchets)",
    ),
    rule(
      "ich hasse (?:alle )?(?:juden|muslime|ausländer|schwarze|flüchtlinge|schwule|zigeuner|türken)|(?:alle |die )?(?:juden|muslime|ausländer|schwarze|schwarzen|flüchtlinge|schwule|zigeuner|türken) sind (?:\\p{L}+ )?(?:abschaum|parasiten|ratten|untermenschen|tiere|ungeziefer|dreck|minderwertig|diebe)",
    ),
    rule(
      "(?:eu )?odeio (?:os |as |todos os )?(?:judeus|muçulmanos|negros|ciganos|imigrantes|gays|estrangeiros|nordestinos)|(?:os|as) (?:judeus|muçulmanos|negros|ciganos|imigrantes|gays|estrangeiros|nordestinos) são (?:\\p{L}+ )?(?:lixo|ratos|escória|parasitas|animais|inferiores|ladrões|uma praga)",
    ),
    rule(
      "odio (?:gli|i|tutti gli|tutti i) (?:ebrei|musulmani|neri|negri|zingari|immigrati|gay|stranieri)|(?:gli|i) (?:ebrei|musulmani|neri|negri|zingari|immigrati|gay|stranieri) sono (?:\\p{L}+ )?(?:feccia|ratti|parassiti|animali|inferiori|ladri|spazzatura|una piaga)",
    ),
  ],
  "hate/threatening": [
    rule(
      `${GROUP} ${gap(4)}(?:should|must|deserve to|deserves to|need to|needs to|ought to|have to|has to) ${gap(2)}(?:die|burn|hang|suffer|bleed|be (?:killed|shot|wiped out|exterminated|hanged|lynched|gassed|eliminated|burned|burnt|put down|beaten|purged|slaughtered|hunted))`,
    ),
    rule(
      `(?:kill|shoot|exterminate|gas|lynch|hang|burn|wipe out|eliminate|hunt down|slaughter|beat up|attack|bomb|purge|cleanse) (?:all |the |those |every |these |of |down ){0,3}${GROUP}`,
    ),
    rule(`death to (?:all |the )?${GROUP}|${GROUP} (?:will|gonna) (?:pay|burn|hang|die|bleed)`),
    rule(
      `(?:race|holy) war (?:is coming|now|begins)|(?:burn|bomb|torch|shoot up) (?:down )?(?:the|that|their|every|a) (?:mosque|synagogue|temple|church|gay bar|refugee (?:home|shelter|camp))`,
    ),
    rule(
      "muerte a (?:los|las) (?:judíos|musulmanes|negros|gitanos|inmigrantes|moros|homosexuales)|hay que matar a (?:todos )?(?:los|las) (?:judíos|musulmanes|negros|gitanos|inmigrantes|moros|homosexuales)",
    ),
    rule(
      "mort aux (?:juifs|musulmans|noirs|arabes|homosexuels|immigrés)|il faut (?:tuer|exterminer|gazer) (?:tous )?les (?:juifs|musulmans|noirs|arabes|homosexuels|immigrés)",
    ),
    rule(
      "tod (?:den|allen) (?:juden|muslimen|ausländern|schwulen)|(?:juden|muslime|ausländer|schwule|flüchtlinge) (?:gehören|sollte man|muss man) (?:\\p{L}+ )?(?:vergast|erschossen|erschießen|verbrannt|umgebracht|aufgehängt)",
    ),
    rule(
      "morte aos (?:judeus|negros|gays|imigrantes|muçulmanos)|(?:tem que|temos que|é preciso) matar (?:todos )?os (?:judeus|negros|gays|imigrantes|muçulmanos)",
    ),
    rule(
      "morte a(?:gli|i) (?:ebrei|neri|gay|immigrati|musulmani)|bisogna (?:ammazzare|uccidere|bruciare) (?:tutti )?(?:gli|i) (?:ebrei|neri|gay|immigrati|musulmani|zingari)",
    ),
  ],
  harassment: [
    rule(`(?:you|u)${AM} ${gap(4)}${INSULT}`),
    rule(
      `(?:go |and )?hang yourself|you (?:useless|stupid|dumb|ugly|old|fat|lying|pathetic) (?:\\p{L}+ )?(?:hag|cow|pig|fool|bitch|witch|idiot|thing)`,
    ),
    rule(
      `(?:you|u) (?:absolute |total |complete |utter |fucking |stupid |dumb |fat |ugly |filthy |pathetic |worthless |useless |lying |little |miserable |sad ){1,3}(?:idiot|moron|loser|pig|cow|clown|freak|creep|bitch|bastard|piece|waste|fool|rat|troll|thing|excuse|retard|prick|coward|imbecile|cretin|hag|slob|liar)`,
    ),
    rule(
      `what an? (?:absolute |total |fucking |complete )?(?:idiot|moron|loser|pathetic|worthless) (?:you are|human being)|you make me sick|i hope you (?:die|rot|choke|suffer|get (?:hit|sick|cancer)|fail|never)`,
    ),
    rule(
      `(?:nobody|no one|noone) (?:likes|loves|wants|cares about|would miss|will ever love|could ever love) you|everyone (?:hates|laughs at|despises|is sick of) you|the world (?:would be|is) better (?:off )?without you|you should(?:n'?t)? (?:never )?have (?:never )?been born|you don'?t deserve to (?:live|breathe|be happy)`,
    ),
    rule(
      `(?:go )?kill yourself|kys|go die|drink bleach|(?:go )?jump off a (?:bridge|cliff|building)|do (?:us|the world|everyone) (?:all )?a favou?r and (?:die|disappear|end)|neck yourself`,
    ),
    rule(
      `shut (?:the (?:fuck|hell) )?up,? (?:you )?(?:stupid|idiot|moron|ugly|fat|loser|bitch|freak|clown|dumb|old)|fuck (?:you|off)|f[*]{1,3}k (?:you|off)|screw you,? (?:you )?(?:idiot|loser|moron|bastard)|go to hell,? you|get lost,? (?:you )?(?:loser|freak|idiot|creep)`,
    ),
    rule(
      `(?:he|she|they|my (?:boss|coworker|classmate|teacher|neighbou?r|ex))(?:'s| is|'re| are) (?:such )?an? ${gap(2)}(?:fat pig|ugly cow|worthless|pathetic loser|stupid bitch|slut|whore|wh[*]re|sl[*]t|retard|waste of space|disgusting pig|ugly freak|piece of (?:trash|garbage|shit|crap))`,
    ),
    rule(
      `(?:let'?s|help me|we should|i want to|write (?:a|an|some|ten|five)|make) ${gap(6)}(?:bully|humiliate|harass|torment|mock|shame|ruin (?:his|her|their) (?:life|reputation)|make (?:his|her|their) life hell|insult(?:s|ing)?|drive (?:her|him) to tears|cry at school)`,
    ),
    rule(
      "eres (?:un|una|tan)? ?(?:\\p{L}+ ){0,2}(?:idiota|imbécil|inútil|basura|estúpid[oa]|asqueros[oa]|fracasad[oa]|mierda|gordo de|patétic[oa])|nadie te quiere|mátate|ojalá te mueras|das asco|vete a la mierda|cállate,? (?:idiota|imbécil|estúpid[oa])",
    ),
    rule(
      "(?:tu es|t'es|vous êtes|espèce d[e']) ?(?:une? )?(?:\\p{L}+ ){0,2}(?:idiote?|imbécile|nulle?|merde|ordure|connard|connasse|conn?e?|débile|minable|déchet|abruti|grosse vache|moche)|personne ne t'aime|va te pendre|tue-toi|ferme ta gueule|va te faire foutre",
    ),
    rule(
      "du bist (?:so )?(?:ein(?:e)? )?(?:\\p{L}+ ){0,2}(?:idiot|versager|versagerin|abschaum|dumm|hässlich|wertlos|müll|schwein|arschloch|schlampe|dreck|vollidiot|loser|widerlich|erbärmlich)|niemand mag dich|bring dich um|halt die fresse|verpiss dich|du (?:dumme|blöde|fette|hässliche)[rns]? (?:kuh|sau|schwein|idiot|schlampe|gans)",
    ),
    rule(
      "(?:você é|tu és|és) (?:um |uma |tão )?(?:\\p{L}+ ){0,2}(?:idiota|imbecil|inútil|lixo|burr[oa]|nojent[oa]|fracassad[oa]|merda|ridícul[oa]|otári[oa]|estúpid[oa])|ninguém gosta de (?:você|ti)|se mata|vai te foder|vai se foder|cala a boca,? (?:idiota|imbecil|burr[oa])|que nojo de você",
    ),
    rule(
      "(?:sei|siete) (?:un[a']?o? ?|così )?(?:\\p{L}+ ){0,2}(?:idiota|imbecille|inutile|schifo|schifoso|schifosa|stupid[oa]|fallit[oa]|merda|ridicol[oa]|spazzatura|cretin[oa]|deficiente|scemo|brutt[oa])|nessuno ti vuole|ammazzati|fai schifo|vaffanculo|stai zitt[oa],? (?:idiota|cretin[oa]|scem[oa]|stupid[oa])",
    ),
  ],
  "harassment/threatening": [
    rule(
      `${I_WILL} ${gap(3)}${HURT} ${gap(1)}(?:you(?! (?:at|up|a|an|some|the|by \\d|to (?:it|the)|back|off|next time we play|in (?:chess|tennis|paperwork|work|debt|snow|cards|the (?:game|race|final|next)))(?!\\p{L}))(?!r)|your (?:face|head|skull|throat|neck|legs?|arms?|bones|kneecaps|fingers|family|kids|children|teeth|ribs|jaw))`,
    ),
    rule(
      `you${AM} (?:so )?(?:dead(?=[.,!?]|$| meat| if| when you)|a dead (?:man|woman)|going to (?:die|pay for this|regret this|bleed|suffer)|gonna (?:die|pay for this|regret this|bleed|suffer))|you(?:'ll| will) (?:pay for (?:this|that|what)(?! with| at| by| using| online)|regret (?:this|that|crossing|it)|be sorry|never see (?:it|me) coming|bleed|suffer for|wish you were dead)`,
    ),
    rule(
      `(?:watch|better watch) your back(?! when| while| muscles)|i know where you(?:r (?:kids|family|mother|wife|daughter|son)[^.]{0,20})? (?:live|sleep|work|park|go to school)s?|i(?:'ll| will) (?:find|hunt|come for|get|be waiting for|be outside) (?:you|your house)(?! (?:a|an|the|some|another|one|at|in|on|with|there|back|here)(?!\\p{L}))|we(?:'re| are) coming for you(?! at| on| by| with| to)|sleep with one eye open|your (?:family|kids|children|wife|daughter|days) (?:is next|are next|won'?t be safe|will (?:pay|suffer|be next)|are numbered)|accidents happen,? you know`,
    ),
    rule(
      `i hope (?:someone|somebody) (?:kills|shoots|stabs|hurts|rapes|beats|runs over) (?:you|him|her)|i(?:'ll| will) make (?:you|him|her) (?:suffer|pay|bleed|scream|beg|disappear)`,
    ),
    rule(
      "te voy a (?:matar|partir|romper|reventar|destrozar|encontrar|hacer sufrir)|(?:sé|sabemos) dónde vives|estás muert[oa]|te vas a arrepentir|vas a pagar por|vamos a por ti",
    ),
    rule(
      "je vais te (?:tuer|crever|casser|démolir|retrouver|faire la peau|défoncer|buter)|je sais où tu habites|t'es mort|tu es mort|tu vas (?:le regretter|payer|souffrir|crever)",
    ),
    rule(
      "ich (?:bringe?|bring|mach|mache|schlage?|steche?|finde?|werde) dich (?:\\p{L}+ )?(?:um|fertig|tot|ab|zusammen|umbringen|töten|finden|abstechen|schlagen)|ich weiß,? wo du wohnst|du bist tot|das wirst du (?:bereuen|büßen)|wir kriegen dich",
    ),
    rule(
      "(?:eu )?vou te (?:matar|quebrar|arrebentar|achar|encontrar|pegar|bater|furar)|sei onde (?:você|tu) mora(?:s)?|você vai (?:morrer|se arrepender|pagar (?:por isso|caro))|você está morto",
    ),
    rule(
      "ti (?:ammazzo|uccido|spacco|distruggo|trovo|faccio fuori|taglio)|so dove abiti|sei morto|te ne pentirai|la pagherai|vengo a prenderti",
    ),
  ],
} satisfies Readonly<Record<"hate" | "hate/threatening" | "harassment" | "harassment/threatening", readonly Rule[]>>;
