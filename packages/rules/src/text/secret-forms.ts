/** Minimum length of a hidden line of a secret with several lines, and of a secret whose encoded forms are hidden. */
const MIN_HIDDEN_PART_CHARACTERS = 8
/** Encoded forms of longer secrets would make the filter slow; their lines are hidden all the same. */
const MAX_ENCODED_CHARACTERS = 4096

/**
 * The texts in which programs print a secret: as it is; with other line ends or joined by blanks, and each longer line
 * alone, if it has several; as a string of JSON, in an address, in HTML, in shell quotes, and in Base64, also as a part of
 * a longer Base64 text.
 */
export function formsOf(secret: string): string[] {
  const whole = secret.trim()
  const lines = whole.split(/\r\n|\r|\n/)
  const forms = lines.length === 1 ? [secret, whole] : [secret, ...formsOfLines(whole, lines)]
  const isEncoded = whole.length >= MIN_HIDDEN_PART_CHARACTERS && secret.length <= MAX_ENCODED_CHARACTERS
  return isEncoded ? [...forms, ...encodedForms(secret), ...encodedForms(whole)] : forms
}

function formsOfLines(whole: string, lines: readonly string[]): string[] {
  return [
    ...['\n', '\r\n', ' '].map((lineEnd) => lines.join(lineEnd)),
    // As a shell splits `$KEY` into words.
    whole.split(/\s+/).join(' '),
    ...lines.map((line) => line.trim()).filter((line) => line.length >= MIN_HIDDEN_PART_CHARACTERS),
  ]
}

function encodedForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const backslashed = text.replaceAll('\\', '\\\\')
  return [
    json,
    json.replaceAll('/', String.raw`\/`),
    json.replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
    text.replaceAll("'", String.raw`'\''`),
    // As Python prints a list of texts.
    backslashed,
    backslashed.replaceAll("'", String.raw`\'`),
    ...htmlForms(text),
    ...addressForms(text),
    ...base64Forms(text),
  ]
}

function htmlForms(text: string): string[] {
  const basic = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = basic.replaceAll('"', '&quot;')
  return [basic, ...['&#39;', '&#x27;', '&apos;', "'"].map((quote) => quoted.replaceAll("'", quote))]
}

/** RFC 3986 with different sets of characters that stay, and the form encoding of the URL standard. */
function addressForms(text: string): string[] {
  // Half of a surrogate pair has no UTF-8 form.
  const usual = encodeURIComponent(text.toWellFormed())
  const strict = usual.replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const forms = [usual, strict, strict.replaceAll('%2F', '/'), strict.replaceAll('%20', '+')]
  return [...forms, ...forms.map((form) => form.replaceAll(/%../g, (code) => code.toLowerCase()))]
}

/** RFC 4648, at each of the three offsets of a longer text, without the characters that hold neighbouring bits. */
function base64Forms(text: string): string[] {
  const bytes = new TextEncoder().encode(text)
  const forms = [0, 1, 2].map((offset) => {
    const before = Array.from({ length: offset }, () => '\0').join('')
    const all = btoa(before + Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    return all.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
  })
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))]
}
