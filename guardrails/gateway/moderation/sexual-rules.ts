import { gap, MINOR, rule, SEX, type Rule } from "./words.ts";

/** Sexual content. Phrases rather than words: what is said of whom. Other languages than English have the plainest only. */
export const SEXUAL = {
  sexual: [
    rule(
      `(?:write|tell|describe|generate|give|show|send|make|create|draw|continue)(?= )${"(?:[^.?!]{0,60}?)"} (?:erotic|erotica|porn|pornographic|smut|smutty|lewd|sexting|dirty talk|explicit sex|sex scene|steamy|nsfw|xxx|hentai|nudes?|naked|nude|topless|kinky|strip ?tease|sexually explicit|explicit fan ?fic\\p{L}*|bdsm)`,
    ),
    rule(
      `(?:i|he|she|they|we|you) (?:\\p{L}+ ){0,2}(?:want|wants|wanted|need|love|loves|crave|craved|would like) (?:to )?(?:\\p{L}+ ){0,2}(?:fuck|f[*]{1,2}k|sleep with you|have sex|make love|suck|lick|ride (?:you|me|him)|undress|see (?:you|her|him) naked|bang (?:you|her|him)|taste (?:you|her|him)|touch (?:you|your body))`,
    ),
    rule(
      `(?:fuck|f[*]{1,2}k) me (?:harder|now|please|hard|again|like|all)|(?:fucked|fucking|f[*]{1,2}k(?:ed|ing)) (?:her|him|me|each other|my (?:wife|husband|boss|girlfriend|boyfriend))|(?:have|had|having) (?:\\p{L}+ )?sex with (?:me|my|her|him|you|a|two|strangers)|(?:blow|hand|rim) ?jobs?|gang ?bang|threesome|cum ?shot|deepthroat|(?:his|her|my|your) (?:\\p{L}+ )?(?:cock|dick|pussy|tits|clit|nipples|erection|boner|c[*]ck|p[*]ssy|d[*]ck)`,
    ),
    rule(
      `(?:moan(?:s|ed|ing)|gasp(?:s|ed|ing)|shudder(?:s|ed|ing)|groan(?:s|ed|ing)) ${gap(8)}(?:naked|thighs|pleasure|between|deeper|inside|climax|orgasm|lips|his touch|her touch|body)|(?:naked|bare) (?:bod(?:y|ies)|skin|breasts?|thighs) ${gap(5)}(?:pressed|against|mine|trembl|entwined|glisten|touch)|(?:orgasm|climax)(?:ed|es|s)? ${gap(4)}(?:together|again|hard|loudly|twice)|(?:unzipped|slid|slipped|pulled|peeled|tore|took) ${gap(3)}(?:panties|bra|underwear|trousers|dress) ${gap(2)}(?:off|down|aside|and)`,
    ),
    rule(
      `(?:i'?m|i am|feeling|getting|so) (?:so )?(?:horny|turned on|wet for|hard for)|masturbat(?:e|es|ed|ing) (?:to|with|while|for|together|thinking|on cam\\p{L}*)|send (?:me )?(?:\\p{L}+ ){0,2}(?:nudes?|naked (?:pics?|photos?|pictures?)|dick pics?)|(?:watch|show|take off|strip|undress)(?:ing)? (?:\\p{L}+ ){0,2}(?:for me|your (?:clothes|panties|shirt) (?:off|for me))|(?:talk dirty|be my sex slave|roleplay (?:as )?(?:my )?(?:mistress|sex|a slutty))|(?:want|looking for|need) (?:a )?(?:sex (?:chat|partner)|hookup tonight|booty call)`,
    ),
    rule(
      "(?:escribe|cuéntame|describe|manda|envía)(?:me)? (?:[^.?!]{0,40}? )?(?:erótic[oa]s?|porno\\p{L}*|desnud[oa]s?|sexo explícito|escena de sexo|relato caliente)|quiero (?:follar|coger|tener sexo|verte desnud[oa]|chup)\\p{L}*|estoy cachond[oa]",
    ),
    rule(
      "(?:écris|raconte|décris|envoie)(?:-moi)? (?:[^.?!]{0,40}? )?(?:érotique|porno\\p{L}*|nue?s?|scène de sexe|sexe explicite|coquine?)|(?:j'ai envie de|je veux) (?:te )?(?:baiser|sucer|coucher avec toi|te voir nue?|faire l'amour)",
    ),
    rule(
      "(?:schreib|schreibe|erzähl|erzähle|beschreib|schick|schicke)(?: mir)? (?:[^.?!]{0,40}? )?(?:erotische\\p{L}*|porno\\p{L}*|nacktfotos?|nacktbilder|sexszene|versaute\\p{L}*)|ich (?:will|möchte) (?:dich |mit dir )?(?:ficken|sex (?:haben|mit dir)|schlafen|dich nackt sehen|nackt sehen)|ich bin (?:so )?geil",
    ),
    rule(
      "(?:escreva|escreve|conta|descreva|manda|envia)(?:-me)? (?:[^.?!]{0,40}? )?(?:erótic[oa]s?|porn\\p{L}*|pelad[oa]s?|nudes?|cena de sexo|putaria)|quero (?:te )?(?:foder|transar|comer você|ver você pelad[oa]|chupar)|tô com tesão",
    ),
    rule(
      "(?:scrivi|raccontami|descrivi|mandami|scrivimi) (?:[^.?!]{0,40}? )?(?:erotic[oahie]+|porno\\p{L}*|nud[oae]|scena di sesso|sesso esplicito|piccante)|voglio (?:scopar\\p{L}*|fare sesso|vederti nud[oa]|leccar\\p{L}*)|sono eccitat[oa]",
    ),
  ],
  "sexual/minors": [
    rule(`${SEX} ${gap(8)}${MINOR}`),
    rule(`${MINOR} ${gap(8)}${SEX}`),
    rule(
      `attracted to (?:\\p{L}+ ){0,2}(?:children|kids|minors|little (?:girls|boys)|young (?:girls|boys)|pre-?teens)|(?:cp|child porn\\p{L}*|csam) (?:links?|videos?|pics|collection|trade|for sale)|child porn`,
    ),
    rule(
      "(?:sexo|sexual|erótic[oa]|desnud[oa]s?|porno\\p{L}*) (?:\\p{L}+ ){0,5}(?:niñ[oa]s?|menor(?:es)?|criança|crianças|bambin[oaie]|minorenni?|menina|menino|colegiala)|(?:sexe|érotique|nue?s?|porno\\p{L}*) (?:\\p{L}+ ){0,5}(?:enfants?|mineure?s?|fillettes?|écolière|petite fille)|(?:sex|erotisch\\p{L}*|nackt\\p{L}*|porno\\p{L}*) (?:\\p{L}+ ){0,5}(?:kind(?:ern?)?|minderjährig\\p{L}*|schulmädchen|mädchen)",
    ),
  ],
} satisfies Readonly<Record<"sexual" | "sexual/minors", readonly Rule[]>>;
