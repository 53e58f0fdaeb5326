const ALLOWED = /^[a-zA-Z0-9._%+@-]{6,254}$/
const LOCAL = /^[^@]{1,64}$/
const LABEL = /^[a-zA-Z0-9-]{1,63}$/
const TOP_LEVEL = /^[a-zA-Z]{2,63}$/

/** Whether the text is an e-mail address. */
export function isEmail(text: string): boolean {
  if (!ALLOWED.test(text)) return false
  const [local = '', domain = '', ...more] = text.split('@')
  if (more.length > 0 || !LOCAL.test(local)) return false
  const labels = domain.split('.')
  const topLevel = labels.pop() ?? ''
  return labels.length > 0 && labels.every((label) => LABEL.test(label)) && TOP_LEVEL.test(topLevel)
}
