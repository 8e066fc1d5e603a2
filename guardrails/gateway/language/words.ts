/** Words that tell apart what pieces of words cannot. */
const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Languages so alike that only some words tell them apart: their words, and the one that it is when none does. */
const TWINS = {
  ind_Latn: words(
    "bisa karena bahwa uang mobil kantor aku kamu gue lo nggak gak enggak banget kalau kemarin perusahaan silakan sepeda gimana dong sih kok udah aja pengen butuh toko kamis minggu indonesia liburan rapat telepon apotek stasiun bahkan sekali mudah-mudahan beda coba tahun depan rupiah jakarta",
  ),
  msa_Latn: words(
    "kerana bahawa boleh tak nak awak sahaja semalam hendaklah hendak pejabat ialah iaitu encik cik cikgu ahad khamis wang cuti mahu korang tengok macam sila sekiranya mesyuarat kereta malaysia pukul berbual telefon bas stesen bilik kerajaan syarikat tandas lebuhraya ringgit beliau kerusi percuma jom takkan",
  ),
  dan_Latn: words(
    "af mig dig sig blev bliver efter noget nogen nogle nu ud op meget hvad hvornår hedder uge gerne lige jer ligger sådan måske aldrig kun igen hjemme derfor vores tage siger vejr penge syg køkken dreng pige bruge bog mellem lejlighed",
  ),
  nor_Latn: words(
    "av meg deg seg ble blir etter noe noen nå ut opp mye hva heter uke gjerne dere bare sånn kanskje aldri igjen derfor våre sier vær penger syk kjøkken gutt jente bruke bok mellom leilighet ikkje eg kva frå då mitt fikk gikk sentrum lese",
  ),
} as const;
type Twin = keyof typeof TWINS;

/** The first, unless more words are the second's. */
export function betweenTwins(text: string, first: Twin, second: Twin): Twin {
  const all = lowerWords(text);
  const count = (twin: Twin): number => all.filter((word) => TWINS[twin].has(word)).length;
  return count(second) > count(first) ? second : first;
}

/** Frequent words of Arabic as it is written in Latin letters, in books and in chats. */
const ARABIC = words(
  "wa fi ila 'ala ala ma'a min anna inna hadha hadhihi alladhi allati kana kanat lam lan qad hal kayfa kull kulla lakin lakinna ba'd qabla ana anta enta inta enti huwa howa hiya heya mish mesh mush mafi ma3 3ala 3al 3an 3ndi 3andi ya3ni yaani wallah walla habibi habibti shu leh lesh leish bas bass el il al ay da di eh keda keda kol kul 3ayez 3ayza 3ashan 3shan lazem bukra bokra embare7 alyoum elyoum yalla inshallah hatta min huna fadlik shukran law illa khilal jami' kan kont kunt menni minni zay zayy dah deh fein wein feen a7la sa7 tayeb tab akh khayyak kaman hayda haida 7aga 7abibi",
);
/** A digit between Latin letters stands for a letter that the alphabet lacks: `3ala`, `ma7al`, `2albi`. */
const DIGIT_LETTER = /^(?:[a-z']*[a-z'][23579][a-z'][a-z23579']*|[23579][a-z']{2,}|[a-z']{2,}[37])$/;
/** The article before its noun: `al-suq`, `as-safar`. */
const ARTICLE = /^(?:[a-z]{1,3}-)?a[a-z]{1,2}-'?[a-z]/;
const HAS_SIGN = /[\d-]/;
const LEAST_SIGNS = 3;
const SIGNS_SHARE = 0.3;

/** Is it Arabic in Latin letters? A third of its words have to say so. */
export function looksArabic(text: string): boolean {
  const all = lowerWords(text);
  const signs = all.filter((word) => ARABIC.has(word) || (HAS_SIGN.test(word) && (DIGIT_LETTER.test(word) || ARTICLE.test(word))));
  return signs.length >= LEAST_SIGNS && new Set(signs).size >= 2 && signs.length >= all.length * SIGNS_SHARE;
}

const lowerWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\d'’-]+/gu) ?? [];
