/**
 * Passwords that are guessed first: words with a year, a counter or a mark, keyboard sequences, and repetitions. The
 * server adds a list of leaked passwords, which is too long for browsers; its entries count as words too.
 */
const WORDS = new Set(
  `
  password passwort passwords passwd passphrase pass word kennwort motdepasse contrasena contrasenha senha parola haslo
  wachtwoord losenord admin admins administrator root superuser user username guest test tester testing tests demo
  default login logon signin to welcome willkommen bienvenue bienvenido letmein openup changeme changeit changethis secret
  secrets geheim hello hallo hola bonjour hi my iloveyou ilove you loveyou love lovely lover sunshine princess dragon
  monkey football fussball baseball basketball soccer hockey tennis golf superman batman spiderman ironman pokemon
  starwars startrek matrix master shadow ninja samurai warrior pirate wizard phoenix tiger lion eagle wolf falcon panther
  panda michael jennifer jordan jessica ashley daniel thomas robert andrew charlie anthony matthew joshua michelle nicole
  samantha amanda alexander william george richard martin andreas stefan christian maria anna laura julia sophie hannah
  summer winter spring autumn fall sommer herbst fruehling january february march april may june july august september
  october november december januar februar maerz mai juni juli oktober dezember monday tuesday wednesday thursday friday
  saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag company firma business muster server servers
  computer laptop desktop internet network wifi wlan windows linux ubuntu debian redhat fedora centos microsoft google
  apple samsung cisco oracle mysql postgres vmware docker github backup support service helpdesk manager office access
  private public system systems security secure remote monitor monitoring database production staging temp temporary
  freedom whatever trustno trustnoone killer hunter ranger buster tigger ginger pepper cookie cheese chocolate banana
  orange cherry apple lemon flower butterfly angel angels family friend friends forever jesus blessed heaven baby babygirl
  london paris berlin madrid america germany france england canada mexico brasil liverpool chelsea arsenal barcelona
  madrid juventus ferrari porsche mercedes yamaha harley mustang corvette camaro money diamond silver gold golden rainbow
  unicorn music guitar piano metallica nirvana slipknot eminem purple yellow black white green blue red silver pink happy
  smile lucky winner champion number one magic power energy sweet honey sugar candy coffee kitten puppy doggy snoopy
  qwerty qwertz azerty asdf asdfgh zxcvbn yxcvbn abc abcd xyz
  `
    .trim()
    .split(/\s+/),
)
const MAX_WORD_CHARACTERS = Math.max(...Array.from(WORDS, ({ length }) => length))
const MIN_WORD_CHARACTERS = 2

/** Keyboard sequences, in either direction. */
const WALKS = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop[]',
  'qwertzuiop',
  'azertyuiop',
  "asdfghjkl;'",
  'qsdfghjklm',
  'zxcvbnm,./',
  'yxcvbnm,.-',
  '!@#$%^&*()',
  '!"§$%&/()=',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  '1a2b3c4d5e6f7g8h9i0j',
  'a1b2c3d4e5f6g7h8i9j0',
].flatMap((walk) => [walk, Array.from(walk).reverse().join('')])
const MIN_WALK_CHARACTERS = 3

/** Common replacements for letters. */
const LETTERS: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
}
/** Longer ones are not guessed by variation. */
const MAX_COMMON_CHARACTERS = 40
const MIN_NAME_CHARACTERS = 3

export interface PasswordRules {
  username?: string
  minCharacters?: number
  /** In lower case. */
  leaked?: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** Why a new password is refused; undefined if it is accepted. */
export function findPasswordFault(
  password: string,
  { username = '', minCharacters = 0, leaked = NONE }: PasswordRules = {},
): string | undefined {
  if (password.length < minCharacters) return `A password has at least ${minCharacters} characters.`
  const text = password.normalize('NFKC').toLowerCase()
  const names = [username.toLowerCase(), username.toLowerCase().split('@', 1)[0] ?? '']
  if (names.some((name) => name.length >= MIN_NAME_CHARACTERS && text.includes(name)))
    return 'The password contains the user name. Choose another one.'
  if (leaked.has(text) || isCommon(text, leaked))
    return 'This password is common and easy to guess. Choose another one.'
  return undefined
}

function isCommon(text: string, leaked: ReadonlySet<string>): boolean {
  if (new Set(text).size <= 3 || /^(.{1,10})\1+$/s.test(text)) return true
  if (text.length > MAX_COMMON_CHARACTERS) return false
  return isMadeOf(text, walksAt) || isWordWithMarks(text, leaked)
}

/** `Passw0rd2024!`: words with common prefixes or suffixes. */
function isWordWithMarks(text: string, leaked: ReadonlySet<string>): boolean {
  const [, before = '', middle = '', after = ''] = /^([^a-z]*)(.*?)([^a-z]*)$/s.exec(text) ?? []
  const tails = [after, ...trailing(after)]
  return tails.some((tail) => {
    const words = middle + after.slice(0, after.length - tail.length)
    if (!isUsualMark(before) || !isUsualMark(tail)) return false
    return leaked.has(words) || isMadeOf(asLetters(words), wordLengthsAt)
  })
}

/** A mark at the end may be the last letter of the word: `$ecret` ends with a letter, `p4$$` does not. */
function trailing(mark: string): string[] {
  return [1, 2].filter((count) => count <= mark.length).map((count) => mark.slice(count))
}

function asLetters(text: string): string {
  return Array.from(text, (char) => LETTERS[char] ?? char)
    .filter((char) => !/[\s._-]/.test(char))
    .join('')
}

/** A year, a counter, few different characters, or repetitions. */
function isUsualMark(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '')
  const others = text.length - digits.length
  const isUsualNumber =
    digits.length <= 3 ||
    /^(?:19|20)\d\d$/.test(digits) ||
    /^(?:[0-3]?\d)(?:[01]?\d)(?:19|20)?\d\d$/.test(digits) ||
    new Set(digits).size === 1 ||
    isMadeOf(digits, walksAt)
  return isUsualNumber && (others <= 3 || new Set(text.replaceAll(/\d/g, '')).size === 1)
}

/** Whether pieces cover a text completely. `lengthsAt`: possible lengths of a piece at a position. */
function isMadeOf(text: string, lengthsAt: (text: string, start: number) => number[]): boolean {
  const reached = new Set([0])
  for (let at = 0; at < text.length; at++) {
    if (reached.has(at)) for (const length of lengthsAt(text, at)) reached.add(at + length)
  }
  return text !== '' && reached.has(text.length)
}

function wordLengthsAt(text: string, start: number): number[] {
  const lengths = Array.from(
    { length: MAX_WORD_CHARACTERS - MIN_WORD_CHARACTERS + 1 },
    (_, more) => MIN_WORD_CHARACTERS + more,
  )
  return lengths.filter(
    (length) => start + length <= text.length && WORDS.has(text.slice(start, start + length)),
  )
}

function walksAt(text: string, start: number): number[] {
  const lengths: number[] = []
  for (let length = MIN_WALK_CHARACTERS; start + length <= text.length; length++) {
    if (!WALKS.some((walk) => walk.includes(text.slice(start, start + length)))) break
    lengths.push(length)
  }
  return lengths
}
