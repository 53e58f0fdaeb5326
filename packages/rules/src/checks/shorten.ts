/** A long text from elsewhere, as far as one line has room for it. */
export const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
