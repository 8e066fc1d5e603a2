/**
 * Small words of languages in Latin letters that no table of ours knows, and of some that are written in them only in chats:
 * a text that has enough of one language's is no nonsense, though nobody here can read it.
 */
const LISTS: readonly string[] = [
  "na ya wa kwa ni za la katika hii kuwa si cha yake yako yangu zangu wangu wao kama lakini sana hapa kabla nini habari mara kwenda bila kila sasa leo kesho baada mimi wewe yeye sisi tafadhali", // Swahili
  "y yr yn i o a ar ei ond mae am na fod wedi bod eu gan gyda oedd nid hyn ac", // Welsh
  "an na ag go le is agus ar a i bhí tá sé mé do ní ach sin seo níl", // Irish
  "an na air agus tha a bha e i do mi gu le ann chan sin", // Scottish Gaelic
  "u ta il il- ma li fil għal dan hija kien kienu biex mhux minn meta matul fl-ilma ħafna il-lejl tal mal", // Maltese
  "la kaj estas de en ne mi vi li ĝi al por kun sed tio ni", // Esperanto
  "no wa ga wo ni de desu to mo ka kara masu shita kudasai watashi kore sono ne yo", // Japanese
  "wo ni ta de shi bu le zai you qu yao women ma ge hao shenme zhe jintian", // Chinese
  "hai hain ka ki ke mein se ko aap kya nahi hum tum mujhe yeh woh bhi kar ho aur kal", // Hindi
  "i v na ne ya ty my eto chto kak s no da net tak dela vse ochen segodnya privet", // Russian
  "kai to tha na den mou sou ti ine einai me se apo gia sto stin", // Greek
  "die en is in van het nie met vir ek jy ons hulle ma terwyl baie dit", // Afrikaans
  "de it en is yn fan in net mei foar ik do wy sa oan hy", // Frisian
  "et in est non ad ut cum qui quae sunt quod ab ex sed omnis per", // Latin
  "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua", // filler
  "mwen ou li nou yo pa ka ap te nan ak pou sa se mi ki epi", // Haitian, Papiamento
  "va bu bilan uchun juda biz men siz ham lekin edi bugun emas", // Uzbek
  "waa oo iyo in ay ka ku la uu aan ee si wax ma", // Somali
  "da a na ta ya ba ne ce ina yi ni mai don wannan shi", // Hausa
  "o le a i ai ma ni e te nga ki he ko ka ua me kei ra koutou keia la", // Samoan, Maori, Hawaiian
  "ke a le re tla go ba ka kwa di ga mo o", // Tswana, Sotho
  "ngi uku kakhulu nga ku futhi ukuthi wami lakho kusasa umuntu abantu yini ngiyabonga", // Zulu, Xhosa
  "ko o ni ti si ati mo wa fun awọn ọ nitori pe", // Yoruba
  "na nke ya bu n'ime ha o i gi mu anyị", // Igbo
  "ug sa ang mga nga ni kini dili ako siya", // Cebuano
  "ing lan sing iku ora aku kowe wis karo saka", // Javanese
  "jeung anu teu nu di ka ku abdi", // Sundanese
  "ary ny dia amin izany tsy ho fa aho ianao", // Malagasy
  "e te të dhe në me për është një nuk ka që nga do", // Albanian
  "û ku di ji li bi ez tu ew na jî me", // Kurdish
  "a an ha da hag eo ket gant e en ar ur", // Breton
  "de he la e in un per cun es ed na", // Romansh
  "ana enta inta inti howa hiya fi el al wa ma ala min bas wallah habibi ya3ni da di mish shu", // Arabic
];
const TONGUES: readonly ReadonlySet<string>[] = LISTS.map((list) => new Set(list.split(" ")));

/** Different small words of one language, and the share of the words that they make up. */
const DISTINCT = 3;
const SHARE = 0.2;

/** Does a text have as many small words of one of these languages as a text in it would? */
export function isOtherTongue(words: readonly string[]): boolean {
  const small = words.map((word) => word.toLowerCase());
  return TONGUES.some((tongue) => {
    const found = small.filter((word) => tongue.has(word));
    return found.length >= small.length * SHARE && new Set(found).size >= Math.min(DISTINCT, Math.ceil(small.length / 4));
  });
}
