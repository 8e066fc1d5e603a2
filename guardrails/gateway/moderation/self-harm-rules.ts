import { gap, rule, type Rule } from "./words.ts";

/** Harm that somebody does to himself. Phrases rather than words: what is said of whom. Other languages than English have the plainest only. */
export const SELF_HARM = {
  "self-harm": [
    rule(
      `i (?:\\p{L}+ )?(?:cut|burn|hurt|harm|starve|scratch|punch|hit) (?:myself|my (?:arms?|wrists?|thighs?|legs?))|i(?:'ve| have) been (?:cutting|starving|burning|hurting|harming|purging)|(?:cutting|burning|hurting|harming|starving) myself|(?:fresh )?cuts on my (?:arms?|wrists?|thighs?|legs?)`,
    ),
    rule(
      `(?:suicide|self-?harm|cutting|starving yourself|anorexia) is (?:beautiful|the (?:only )?(?:answer|solution|way out)|freedom|a good|fine|cool|brave|poetic)|(?:pro-?ana|thinspo|thinspiration)|you should (?:cut|starve|hurt|kill|hang|harm) yourself`,
    ),
    rule(`(?:go )?kill yourself|kys|(?:go )?hang yourself|slit your (?:own )?wrists|neck yourself|drink bleach`),
    rule("me (?:corto|cortaba|hago daño|autolesiono)|mátate|me he (?:cortado|autolesionado)"),
    rule("je me (?:coupe|scarifie|mutile|fais du mal|fais vomir)|je me suis (?:coupée?|scarifiée?)|tue-toi|va te pendre"),
    rule("ich (?:ritze|schneide|verletze|hungere) mich|ich habe mich (?:wieder )?geritzt|bring dich um"),
    rule("eu me (?:corto|machuco|mutilo)|me corto (?:nos|no|os)|tenho me cortado|se mata"),
    rule("mi (?:taglio|ferisco|faccio del male)|mi sono tagliat[oa] (?:di nuovo|ancora|i|le)|ammazzati"),
  ],
  "self-harm/intent": [
    rule(
      `i (?:\\p{L}+ ){0,2}(?:want|wanna|wish|plan|intend|have decided|decided|need|am going|am ready)(?: to)? (?:\\p{L}+ )?(?:die(?! my| laughing| of | for)|be dead|kill myself|end (?:my (?:own )?life|it all|it tonight|everything)|hang myself|commit suicide|take my (?:own )?life|hurt myself|cut myself|disappear forever|not (?:exist|wake up|be alive)|stop existing|jump off)`,
    ),
    rule(
      `i(?:'m| am) (?:\\p{L}+ )?(?:going to|gonna|about to|planning to|ready to|thinking (?:of|about)|considering|planning) (?:\\p{L}+ )?(?:die tonight|kill(?:ing)? myself|end(?:ing)? (?:my life|it all|it)|hang(?:ing)? myself|commit(?:ting)? suicide|suicide|tak(?:e|ing) my (?:own )?life|overdos(?:e|ing)|jump(?:ing)? off|hurt(?:ing)? myself|cut(?:ting)? myself|slit(?:ting)? my wrists)`,
    ),
    rule(
      `i(?:'ll| will) (?:\\p{L}+ )?(?:kill myself|end (?:my life|it all|it tonight)|hang myself|take all (?:my|the|these) pills|overdose|cut myself|be dead by|jump off)`,
    ),
    rule(
      `i (?:don'?t|do not|can'?t|cannot|no longer) (?:\\p{L}+ )?(?:want to (?:live(?! in| with| at| near| here| there| on| next| like a| by| alone| under)|be alive|be here|exist|wake up)|go on (?:living|like this|anymore|any more)|live (?:anymore|any longer|like this)|see (?:a|any) (?:reason|point) (?:to|in) (?:live|living|being alive|going on|staying alive))`,
    ),
    rule(
      `(?:everyone|they|you|my (?:family|kids|parents)|the world)(?:'d| would)(?: all)? be better off (?:without me|if i (?:was|were) (?:dead|gone))|i(?:'ve| have) (?:written|got) (?:my|a) (?:suicide note|goodbye (?:note|letter)s?)|(?:this is|these are) my (?:last|final) (?:goodbye|words|message)|(?:i have|having|got) (?:the )?(?:pills|rope) ready|planning to jump off|i feel suicidal|i(?:'m| am) (?:feeling )?suicidal|tonight is my last night`,
    ),
    rule(
      "(?:me )?quiero (?:morir(?:me)?|matarme|suicidarme|acabar con (?:mi vida|todo))|no quiero (?:seguir viviendo|vivir más|vivir)|voy a (?:matarme|suicidarme|quitarme la vida)|me voy a (?:matar|suicidar)|pienso en (?:suicidarme|matarme)",
    ),
    rule(
      "je veux (?:mourir|me tuer|en finir|me suicider)|je ne veux plus vivre|je vais (?:me tuer|me suicider|en finir|me pendre)|j'ai envie de (?:mourir|me tuer|en finir)|je pense (?:à me|au) suicid\\p{L}+",
    ),
    rule(
      "ich (?:will|möchte) (?:\\p{L}+ )?(?:sterben|mich umbringen|nicht mehr leben|tot sein|mir das leben nehmen)|ich werde mich (?:\\p{L}+ )?umbringen|ich bringe mich (?:\\p{L}+ )?um|ich denke (?:\\p{L}+ )?an (?:selbstmord|suizid)|ich kann nicht mehr leben",
    ),
    rule(
      "(?:eu )?quero (?:morrer|me matar|acabar com (?:a minha vida|minha vida|tudo)|suicidar)|não quero mais viver|vou me matar|vou (?:acabar com|tirar) (?:a )?minha (?:própria )?vida|penso em (?:suicídio|me matar)",
    ),
    rule(
      "voglio (?:morire|uccidermi|farla finita|ammazzarmi|suicidarmi)|non voglio più vivere|mi (?:ammazzo|uccido|suicido|ammazzerò|ucciderò)|penso al suicidio",
    ),
  ],
  "self-harm/instructions": [
    rule(
      `(?:how|what|which|where|tell me|give me|teach me|best|easiest|quickest|fastest|least painful|painless|steps?|tips|guide|ways?|method|list)${"(?:[^.?!]{0,60}?)"} (?:kill myself|hang myself|commit suicide|suicide methods?|end my (?:own )?life|take my (?:own )?life|cut myself|hurt myself|harm myself|self-?harm without|starve myself|make myself (?:throw up|vomit|sick)|overdose on|slit my wrists|die (?:painlessly|quickly|without pain|in my sleep)|hide (?:my|the) (?:cuts|scars|bruises|self-?harm))`,
    ),
    rule(
      `(?:painless|quick|easy|best|reliable|peaceful) (?:way|method|ways|methods) (?:to|of) (?:die|kill (?:myself|yourself)|suicide|commit suicide|end (?:it|my life)|dying|overdose)|(?:lethal|fatal|deadly) dose of ${gap(4)}(?:for (?:me|someone|a person|my)|to (?:die|end)|i (?:need|should))|how (?:many|much) ${gap(5)}(?:pills?|sleeping pills|tylenol|paracetamol|insulin|tablets) ${gap(5)}(?:to (?:die|kill|overdose|end)|would kill me|until i die)`,
    ),
    rule(
      `(?:tips|tricks|help|advice|how) (?:for|to|with) ${gap(3)}(?:starv(?:e|ing) (?:yourself|myself)|purg(?:e|ing)(?= |[.?!]|$)|(?:become|becoming|get|stay|being) anorexic|hide (?:an|my) eating disorder|pro-?ana|extreme fasting so nobody)`,
    ),
    rule(
      "(?:cómo|forma|manera|método) (?:\\p{L}+ ){0,4}(?:suicidarme|suicidarse|matarme|quitarme la vida|cortarme|morir sin dolor)|cuántas pastillas (?:\\p{L}+ ){0,4}(?:morir|matarme|suicidarme)",
    ),
    rule(
      "comment (?:\\p{L}+ ){0,3}(?:me suicider|se suicider|me tuer|me pendre|me scarifier|mourir sans (?:douleur|souffrir))|(?:méthode|moyen) (?:\\p{L}+ ){0,3}(?:de suicide|pour mourir|de me tuer)|combien de (?:cachets|comprimés) (?:\\p{L}+ ){0,4}mourir",
    ),
    rule(
      "wie (?:\\p{L}+ ){0,3}(?:mich (?:\\p{L}+ ){0,2}(?:umbringen|töten|ritzen|erhängen)|selbstmord begehen|schmerzlos sterben|bringe? ich mich (?:\\p{L}+ )?um)|wie viele (?:tabletten|pillen) (?:\\p{L}+ ){0,5}(?:sterben|umbringen|tödlich)|(?:methode|weg) (?:\\p{L}+ ){0,3}(?:zu sterben|mich umzubringen)",
    ),
    rule(
      "como (?:\\p{L}+ ){0,3}(?:me matar|me suicidar|suicidar|me cortar|morrer sem (?:dor|sofrer))|(?:jeito|forma|método) (?:\\p{L}+ ){0,3}(?:de morrer|de me matar|para morrer|de suicídio)|quantos comprimidos (?:\\p{L}+ ){0,4}morrer",
    ),
    rule(
      "come (?:\\p{L}+ ){0,3}(?:uccidermi|ammazzarmi|suicidarmi|suicidarsi|tagliarmi|morire senza (?:dolore|soffrire))|(?:modo|metodo) (?:\\p{L}+ ){0,3}(?:per morire|per uccidermi|di suicidio)|quante pillole (?:\\p{L}+ ){0,4}morire",
    ),
  ],
} satisfies Readonly<Record<"self-harm" | "self-harm/intent" | "self-harm/instructions", readonly Rule[]>>;
