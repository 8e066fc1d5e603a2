import type { Category } from "./category.ts";

/*
 * Words that say what the talk is: a report, a lesson, a story, a kitchen. They make a phrase weigh less; some categories
 * are none the less for standing in a story.
 */
const words = (alternatives: string): RegExp => new RegExp(`(?<!\\p{L})(?:${alternatives})(?!\\p{L})`, "u");

interface Context {
  readonly words: RegExp;
  /** What is left of a phrase's weight. */
  readonly factor: number;
  readonly except: ReadonlySet<Category>;
}

const SEXUAL: readonly Category[] = ["sexual", "sexual/minors"];
export const CONTEXTS: readonly Context[] = [
  {
    // reports, law, science
    words: words(
      "police|court|jury|convicted|sentenced|charged with|arrested|prosecutors?|testified|witness(?:es)?|victims?|according to|reported(?:ly)?|reporters?|news|newspaper|headline|article|journalist|documentary|historyns?|historical|century|war (?:crimes?|memorial|museum)|genocide|holocaust|nazis?|study|studies|research(?:ers)?|statistics|survey|scientists?|law|laws|legal|illegal|crime|legislation|policy|museum|trial|verdict|defendant|suspect|massacre of|investigators?|coroner|autopsy|forensics?|policía|tribunal|juez|juicio|condenad[oa]|detenid[oa]|noticia|según|historia|estudio|polic(?:e|ía|ia)|justice|procès|condamnée?|arrêtée?|selon|étude|polizei|gericht|verurteilt|festgenommen|laut|studie|bericht|juiz|julgamento|preso|notícia|segundo|estudo|polizia|processo|condannat[oa]|arrestat[oa]|secondo|studio",
    ),
    factor: 0.4,
    except: new Set(["self-harm/instructions"]),
  },
  {
    // help and teaching
    words: words(
      "prevent(?:s|ed|ing|ion)?|hotline|helpline|awareness|therap(?:y|ist|ists)|counsel(?:l)?(?:or|ors|ing)|psychologist|psychiatrist|support group|warning signs|signs (?:of|that)|how (?:can i|do i|to) (?:help|support|talk to|protect|report|stop|respond)|help (?:a friend|someone|my friend|him|her) (?:who|with)|worried about (?:my|a|him|her|them)|report(?:ing)? (?:abuse|him|her|hate)|protect(?:ing|s|ion)?|safeguard(?:ing)?|education|educat(?:e|or|ors|ional)|teach(?:ing|ers)? (?:about|how to (?:talk|recogni[sz]e))|lesson|anti-?bullying|against (?:racism|hate|hatred|bullying|violence)|discrimination|stereotypes?|prejudice|racism|racist|antisemit\\p{L}*|islamophob\\p{L}*|homophob\\p{L}*|xenophob\\p{L}*|hate speech|wrong to|unacceptable|offensive|pediatric\\p{L}*|paediatric\\p{L}*|health (?:class|education|worker)|contracepti\\p{L}+|sti|stis|std|consent|puberty|parenting|prevención|prevenir|ayudar a|prévention|aider|vorbeugung|prävention|helfen|prevenção|ajudar|prevenzione|aiutare|racismo|racisme|rassismus|razzismo",
    ),
    factor: 0.4,
    except: new Set(["self-harm/intent"]),
  },
  {
    // stories, stage, screen and games
    words: words(
      "novels?|fiction(?:al)?|short story|characters?|protagonist|villain|plot|film|films|movies?|tv show|series|episode|season|actor|actress|theatre|theater|play by|opera|song|lyrics|album|band|poem|chapter|video ?games?|game|games|gamer|level|boss fight|final boss|quest|npc|respawn|xbox|playstation|minecraft|fortnite|zombies?|orcs?|dragons?|vampires?|wizard|dungeon|d&d|chess|cards? game|board game|shakespeare|hamlet|macbeth|myth(?:ology)?|fairy tale|thriller|mystery|detective|screenplay|script|comic|manga|anime|novela|película|personaje|canción|cuento|videojuego|juego|roman|film|personnage|chanson|jeu vidéo|jeu|conte|buch|spiel|figur|lied|romance|filme|personagem|jogo|conto|romanzo|personaggio|canzone|gioco|racconto",
    ),
    factor: 0.4,
    except: new Set<Category>([...SEXUAL, "violence/graphic"]),
  },
  {
    // pictures of bodies, bodies in school books
    words: words(
      "paintings?|painter|statues?|sculptures?|museums?|art history|renaissance|baroque|anatom\\p{L}+|biolog\\p{L}+|reproducti\\p{L}+|pregnan\\p{L}+|fertil\\p{L}+|medical|doctors?|dermatolog\\p{L}+|gynaecolog\\p{L}+|gynecolog\\p{L}+|urolog\\p{L}+|midwife|breastfeed\\p{L}*",
    ),
    factor: 0.4,
    except: new Set<Category>([
      "self-harm/intent",
      "self-harm/instructions",
      "hate",
      "hate/threatening",
      "harassment",
      "harassment/threatening",
      "violence",
      "violence/graphic",
    ]),
  },
  {
    // bodies that are cared for, animals, kitchens
    words: words(
      "patients?|surge(?:on|ons|ry|ries)|surgical|operation|operating room|medical|medicine|doctors?|nurses?|clinic(?:al)?|hospital|diagnos\\p{L}+|symptoms?|treatment|wounds?|first aid|biops\\p{L}+|anatom\\p{L}+|transplant|dissect\\p{L}*|veterinar\\p{L}+|vet|recipe|cook(?:ing)?|oven|roast|chicken|beef|pork|fish|steak|meat|butcher(?:'s)? shop|knife skills|gardening|weeds?|pests?|mosquitoe?s?|bugs?|insects?|bacteria|virus(?:es)?|cells?|mice|termites|ants|wasps|mold|process(?:es)?|server|thread|task|script|terminal|linux|unix|python|code|app|deploy(?:ment)?|receta|recette|rezept|receita|ricetta|paciente|patient|paziente|médic[oa]|médecin|arzt|medico|cirug\\p{L}+|chirurg\\p{L}+|cirurg\\p{L}+",
    ),
    factor: 0.3,
    except: new Set<Category>(["hate", "hate/threatening", "harassment", "harassment/threatening", "self-harm/intent", ...SEXUAL]),
  },
];

/** Directly before a phrase it says the opposite. */
export const DENIED =
  /(?<!\p{L})(?:not|never|don'?t|doesn'?t|didn'?t|won'?t|wouldn'?t|isn'?t|aren'?t|no one should|nobody should|nunca|jamás|no|jamais|ne|pas|niemals|nicht|kein|não|non|mai) (?:[^\s.,;:!?]{1,20} ){0,2}$/u;
/** Somebody else says it, and whoever writes does not like it. */
export const REPORTED =
  /(?<!\p{L})(?:stop (?:saying|calling|telling|claiming)|wrong (?:that|to)|false (?:that|to)|untrue that|not true that|myth that|idea that|stereotype that|can'?t believe|claim(?:s|ed)? that|believe(?:s|d)? that|says? that|said that|argue(?:s|d)? that|people who say|anyone who says|shouldn'?t (?:call|say|tell)) (?:[^\s.,;:!?]{1,20} ){0,3}$/u;
