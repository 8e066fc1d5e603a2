import type { Grammar } from "./grammar.ts";

export const de: Grammar = {
  determiners:
    "ein eine einen einem eines mein meine meinen meinem dein deine deinen unser unsere unseren kein keine keinen keinem jeder jede jedes jeden dem den des zum zur im am ins vom beim",
  prepositions: "von bei seit für gegen ohne zwischen neben während wegen",
  conjunctions: "und oder aber weil dass ob denn sondern obwohl",
  subjects: "",
  clitics: "",
  verbs: "ist sind war waren bin bist hat hatte wird wurde wurden kann muss soll",
  others:
    "ich du er wir man nicht sie es das die der ihr mich dich sich uns ihn ihm zu an mit auf aus nach in über unter um so wenn wie was wer wo da dann noch nur auch schon sehr mehr haben werden sein habe habt doch ja nein heute gestern hier dort als bis alles nichts vor durch ihre ihren seine seinen hab heut ma zwei drei warum",
  mayEnd: "ein gegen ohne den dem",
  fine: "einem von, einen von, eines von, eine von, keine von, jeder von, jede von, jedes von, von zu, für unter, ein und, ein in, ein ist, ein oder, eine oder, ein aber, dem ein, dem eine, den eine, den ein, dem mein, den mein, den meine, den in, dem in, den im, dem im, den am, dem am, den unser, dem unser, * während, und weil, und dass, und ob, oder ob, aber weil, war und, ist und, hat und",
  never:
    "dem der, dem die, dem das, den der, des der, des die, im der, im die, am der, am die, zum der, zum die, und und, und oder, oder und, aber und, und aber, weil und, dass und, dass ist, dass hat, dass wird, weil ist, weil hat, wenn ist, wenn hat, wenn und, ob und, ob ist, ich ist, ich sind, ich hat, ich wird, er sind, er bin, er haben, du ist, du hat, du bin, wir ist, wir hat, wir bin, man sind, von ist, für ist, für und, von und, im und, zum und, der und, die und, der weil, die weil, das weil, den und, dem und, sehr der, sehr die, sehr das, sehr und, zu und, sie ich, ein der, ein die, ein das, eine der, eine das, das des, des das, ein ich, eine ich, mein ich, im ich, zum ich, von ich, für ich, mit ich, von er, für er, mit er, von wir, für wir, mit wir",
  clashes: [
    ["mit von bei aus seit nach zu", /^(?:die|das|ein|eine|einen|mein|kein|keine)$/],
    ["für ohne gegen durch um", /^(?:der|dem|einem|einer|meinem)$/],
    [
      "der die das ein eine einen im am zum zur vom beim ins dem den",
      /^(?:oder|aber|weil|dass|wenn|ob|haben|werden|warum|mich|dich|hab|habe)$/,
    ],
    [
      "ein eine einen im am zum zur vom beim ins jeden jede meine dem den",
      /^(?:nicht|nach|es|sie|er|wir|mit|auf|zu|als|wie|was|wo|so|noch|auch|sich|da|dann)$/,
    ],
    ["ich du er wir man", /^(?:ich|du|er|wir|man|des)$/],
    ["hat haben ist wird war", /^(?:hat|haben|ist|wird|war|dass|weil)$/],
    ["sich mich dich", /^(?:sich|mich|dich)$/],
    ["dass weil wenn ob", /^(?:hat|haben|ist|wird|war|sind|und|oder)$/],
    ["kann muss soll will können müssen sollen wollen", /^(?:dass|weil|ist|war|hat|hatte)$/],
    ["sie es", /^(?:ich|du|er|wir)$/],
    ["an auf aus mit nach in über unter um zu", /^(?:von|für|bei|ist|hat|war|wird|dass|weil|ich|er|wir|du)$/],
    [
      "von für bei seit gegen ohne im am zum zur vom beim in",
      /^(?:wurde|wurden|musste|mussten|kann|kannst|soll|sollte|muss|will|wollte|habe|hatte|bin|bist)$/,
    ],
    ["des", /^(?:haben|werden|wird|hat|ist|sind|war|nicht|und|oder|ein|eine|mein|meine|ich|er|wir|sie|es)$/],
  ],
};
