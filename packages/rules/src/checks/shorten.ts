/** Shortens external text to fit on one line. */
export const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
