/** Without look-alikes, since it may be typed from a screen. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 20

export function generatePassword(): string {
  // Bytes above the last whole round would make the first letters more frequent.
  const bound = 256 - (256 % LETTERS.length)
  let password = ''
  while (password.length < LENGTH) {
    const [byte = bound] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < bound) password += LETTERS[byte % LETTERS.length]
  }
  return password
}
