import { gap, HURT, I_WILL, rule, SOMEBODY, type Rule } from "./words.ts";

/** Violence that is wanted, planned or enjoyed. Phrases rather than words: what is said of whom. Other languages than English have the plainest only. */
export const VIOLENT = {
  violence: [
    rule(
      `${I_WILL} ${gap(6)}${HURT} (?:all |the |of |up |down |out |off |both |every |away ){0,2}${SOMEBODY}|(?:burn|torch) (?:down )?(?:their|your|his|her) (?:house|home|car|shop)s?`,
    ),
    rule(
      `(?:i|we) (?:\\p{L}+ ){0,2}(?:hope|wish|pray) (?:\\p{L}+ ){0,4}(?:(?:gets?|got|is|are|was|were|be) (?:shot|stabbed|beaten|killed|murdered|hanged|burned|tortured|run over|blown up)|dies? (?:slowly|painfully|in|screaming|horribly)|(?:kills|shoots|stabs|beats|murders) (?:him|her|them|you))|(?:deserves?|deserved) to (?:die|be (?:shot|killed|beaten|stabbed|tortured|hanged|executed|burned|lynched))|(?:should|must|ought to) be (?:shot|hanged|executed|beheaded|lynched|stabbed|beaten|burned alive|tortured|killed|put (?:down|against a wall))`,
    ),
    rule(
      `(?:shoot|blow|bomb|burn) (?:up |down )?(?:the|my|that|this|a|their|our) (?:school|office|building|mall|airport|stadium|church|mosque|synagogue|concert|hospital|workplace|police station|courthouse|parade|station|embassy|crowd)|(?:school|mass) shooting (?:is|was|would be) (?:fun|justified|great|awesome|deserved|a good idea)|(?:planning|plan|prepare|organi[sz]e|carry out|commit) (?:\\p{L}+ ){0,3}(?:shooting|massacre|bombing|murder|stabbing|arson|terror(?:ist)? attack)`,
    ),
    rule(
      `how (?:do i|can i|to|would i|should i) (?:\\p{L}+ ){0,4}(?:kill|murder|poison|strangle|stab|torture|hurt|beat up|assassinate|kidnap) (?:\\p{L}+ ){0,2}(?:someone|somebody|a person|people|my (?:wife|husband|boss|neighbou?r|ex|roommate|brother|sister|parents|teacher|classmate|coworker)|him|her|them|a (?:man|woman|kid|child|cop|baby|human))|get away with (?:murder|killing|stabbing)|(?:make|build) a (?:pipe )?bomb`,
    ),
    rule(
      `(?:death|violence|killing|murder|bloodshed|torture) is (?:the (?:only )?(?:answer|solution|way)|beautiful|fun|justified|what they deserve)|(?:kill|hang|shoot|behead|lynch|burn) (?:them all|the (?:traitors?|pigs|cops|rich|politicians|judges|bastards|infidels)|all (?:of them|cops|men|politicians|traitors))|(?:beat|kick|punch|stab|shoot) (?:him|her|them|that \\p{L}+) (?:to death|until|to a pulp|senseless|in the (?:face|head|chest|back|throat))|(?:blood will|blood shall|there will be) (?:flow|run|be spilled|blood in the streets)|i enjoy (?:killing|hurting|torturing)`,
    ),
    rule(
      `(?:stabbed|slashed|hacked|bludgeoned|strangled|beheaded|decapitated|butchered|tortured|dismembered|shot) (?:him|her|them|the (?:man|woman|guard|boy|girl|body|hostage|prisoner|victim))(?: ${gap(3)}(?:again and again|over and over|repeatedly|to death|until|in the (?:face|throat|neck|chest|stomach|eye)|while|with a))`,
    ),
    rule(
      "(?:voy a|vamos a|hay que|quiero) (?:matar|apuñalar|disparar|degollar|quemar|torturar)(?:l[oae]s?|te)?(?: a)?(?: \\p{L}+){0,3}|te voy a (?:matar|reventar|destrozar|partir)|cómo (?:matar|envenenar|asesinar) a (?:mi|un|una|alguien)|merece(?:n)? morir|hacer una bomba",
    ),
    rule(
      "(?:je vais|on va|il faut|je veux) (?:te |le |la |les )?(?:tuer|buter|poignarder|égorger|abattre|torturer|crever|massacrer|brûler vif)(?: \\p{L}+){0,3}|comment (?:tuer|empoisonner|assassiner) (?:mon|ma|quelqu'un|un)|mérite(?:nt)? de (?:mourir|crever)|fabriquer une bombe",
    ),
    rule(
      "ich (?:will|werde|möchte) (?!mich)(?:\\p{L}+ ){0,4}(?:umbringen|töten|erschießen|abstechen|erwürgen|verprügeln|foltern|abknallen)|ich (?:bringe|steche|knalle|schlage) (?:dich|ihn|sie|euch|alle) (?:\\p{L}+ )?(?:um|ab|tot)|wie (?:kann ich|man|bringe ich) (?!mich)(?:\\p{L}+ ){0,4}(?:umbringen|vergiften|töten|um)|verdien(?:t|en) (?:es )?(?:den tod|zu sterben)|(?:eine )?bombe bauen",
    ),
    rule(
      "(?:vou|vamos|quero|tem que) (?:te |o |a |os )?(?:matar|esfaquear|degolar|torturar|espancar|queimar vivo|fuzilar)(?: \\p{L}+){0,3}|como (?:matar|envenenar|assassinar) (?:o |a )?(?:meu|minha|alguém|um|uma)|merece(?:m)? morrer|fazer uma bomba",
    ),
    rule(
      "(?:voglio|vado a|bisogna|andiamo a) (?:ammazzar|uccider|accoltellar|sgozzar|torturar|sparar|bruciar)\\p{L}*(?: \\p{L}+){0,3}|ti (?:ammazzo|uccido|sgozzo|accoltello)|(?:lo|la|li) (?:ammazzo|uccido)|come (?:uccidere|avvelenare|ammazzare) (?:mio|mia|il mio|qualcuno|una?)|merita(?:no)? di morire|costruire una bomba",
    ),
  ],
  "violence/graphic": [
    rule(
      `(?:blood|guts|intestines|entrails|brains?|brain matter|bowels|organs|flesh|gore|innards|viscera) ${gap(6)}(?:gush\\p{L}*|spill\\p{L}*|splatter\\p{L}*|spray\\p{L}*|pour(?:s|ed|ing) (?:out|from)|ooz\\p{L}*|drip(?:ped|ping) from|spurt\\p{L}*|hung out|hanging out|slid out|coated|painted|pooled|everywhere|all over)`,
    ),
    rule(
      `(?:rip(?:s|ped|ping)?|tore|tear(?:s|ing)?|hack(?:s|ed|ing)?|sawed|sawing|slic(?:ed|ing)|cut(?:ting)?|chopp(?:ed|ing)|carv(?:ed|ing)|goug(?:ed|ing)|peel(?:ed|ing)|pull(?:ed|ing)|crush(?:ed|ing)|smash(?:ed|ing)?) ${gap(4)}(?:(?:his|her|their|your|the (?:man|woman|victim|guard|girl|boy|body)'s) )(?:limbs?|arms?|legs?|head|skull|throat|eyes?|eyeballs?|tongue|fingers?|skin|scalp|guts|intestines|heart|ribs|jaw|face|flesh) ${gap(3)}(?:off|out|open|apart|from|into pieces|to pieces|like|until|in half)`,
    ),
    rule(
      `(?:severed|mutilated|dismembered|decapitated|mangled|rotting|disembowel(?:l)?ed|eviscerated|flayed|charred|butchered) (?:\\p{L}+ ){0,2}(?:heads?|limbs?|arms?|legs?|bod(?:y|ies)|corpses?|torsos?|hands?|fingers?|remains|flesh|alive)|(?:skull|bones?|ribs|jaw) ${gap(3)}(?:crack(?:ed|ing)|shatter(?:ed|ing)|caved in|splinter(?:ed|ing)|crunch(?:ed|ing)) ${gap(5)}(?:blood|brain|hammer|boot|bat|skull|flesh|axe)|(?:detailed|graphic|gory|gruesome) (?:\\p{L}+ ){0,3}(?:torture|dismemberment|murder|decapitation|killing|gore|execution|mutilation|evisceration|beheading)`,
    ),
    rule(
      `(?:torture|dismemberment|murder|decapitation|beheading|mutilation|stabbing) ${gap(6)}(?:in (?:graphic|gory|gruesome|bloody|full|vivid) detail|as (?:gory|graphic|bloody) as possible)|every (?:bloody|gory|gruesome|gory) detail`,
    ),
    rule(
      "(?:sangre|sangue|sang|blut|tripas|vísceras|intestin\\p{L}*|entrañas|tripes|boyaux|eingeweide|gedärme|budella) (?:\\p{L}+ ){0,6}(?:brota\\p{L}*|salpica\\p{L}*|chorrea\\p{L}*|jorra\\p{L}*|espirra\\p{L}*|giclai\\p{L}*|gicle\\p{L}*|jaillit|spritz\\p{L}*|quoll|quell\\p{L}*|schizz\\p{L}*|sgorg\\p{L}*|por todas partes|por todo lado|partout|überall|dappertutto|ovunque)",
    ),
    rule(
      "(?:le|lhe|gli|ihm|ihr|lui|te|ti) (?:arranc\\p{L}+|arrach\\p{L}+|strapp\\p{L}+|cort\\p{L}+|tranch\\p{L}+|riss|schnitt|reißt|tagli\\p{L}+) (?:\\p{L}+ ){0,3}(?:cabeza|cabeça|tête|kopf|testa|ojos|olhos|yeux|augen|occhi|lengua|língua|langue|zunge|lingua|dedos|doigts|finger|dita|brazos?|braços?|bras|arme?|braccia|garganta|gorge|kehle|gola)",
    ),
  ],
} satisfies Readonly<Record<"violence" | "violence/graphic", readonly Rule[]>>;
