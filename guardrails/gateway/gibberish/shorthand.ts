/** What people write in chats in the place of words. Nobody can say it, and everybody reads it. */
const SLANG =
  "lol lmao lmfao rofl brb btw omg omw idk idc idgaf tbh tbf imo imho ngl fr smh ttyl gtg g2g wdym wyd hmu ikr irl afk asap fyi rn af fwiw iirc tldr nvm np ty tysm thx pls plz plx msg msgs ppl bc cuz cos u r ur n k kk tmr tmrw bday sry srsly dm pm pic pics xd xoxo ffs wtf wth jk bff gg glhf hmm hmmm mhm shh pfft ugh brr tsk psst grr bzw usw evtl ggf vlt vllt hdl lg mfg kp ka nix tlm bcp pk pq tkt stp svp mdr ptdr dsl slt bjr cad qd tt jsp xq pq tmb bn dnd qn vd vds q xfa porfa msj cmq nn xke perke tvb ndr sn x eq vs etc mr mrs dr prof";
/** Names of formats, protocols and programs. */
const TECHNICAL =
  "html xhtml css scss xml json jsonl sql svg jpg jpeg png gif pdf php npm npx pnpm yaml yml toml csv tsv txt md http https ssh ssl tls tcp udp dns dhcp ftp sftp smtp imap git grpc jwt jwks xss csrf mqtt nginx redis mysql psql pgsql sqlite graphql kubectl kubernetes kube etcd ffmpeg grep sed awk chmod chown sudo mkdir rmdir ls cd cp mv rm tmp src lib pkg cfg cmd ctx str int utf sha md hmac rsa aes gpu cpu ram ssd usb wlan wifi vpn lan ios macos linux x64 amd kb mb gb tb kg mg mcg ml cm mm km hz khz mhz ghz kwh rpm mph kmh px pt rgb";
const CHATS: ReadonlySet<string> = new Set(SLANG.split(" "));
const NAMES: ReadonlySet<string> = new Set(TECHNICAL.split(" "));

export const isSlang = (word: string): boolean => CHATS.has(word.toLowerCase());
export const isShorthand = (word: string): boolean => isSlang(word) || NAMES.has(word.toLowerCase());
