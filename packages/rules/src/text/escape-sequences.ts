// CSI, OSC and similar, character sets, single ones: ECMA-48 as terminals implement it.
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are searched on purpose
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[()*+#%][0-9A-Za-z]|\u001b[0-9=>@-Z\\^_a-z]/g
// oxlint-disable-next-line no-control-regex -- as above
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[()*+#%])?$/
// oxlint-disable-next-line no-control-regex -- all but tab, line feed and carriage return
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
/** A longer sequence without an end is treated as text. */
const MAX_SEQUENCE = 1024

/**
 * Text for a terminal without escape sequences and control characters, except tab, line feed and carriage return. `rest`
 * is an incomplete sequence at the end.
 */
export function stripSequences(text: string): { plain: string; rest: string } {
  const stripped = text.includes('\u001b') ? text.replaceAll(SEQUENCES, '') : text
  const at = UNFINISHED.exec(stripped)?.index ?? stripped.length
  const isPlausible = stripped.length - at <= MAX_SEQUENCE
  const plain = isPlausible ? stripped.slice(0, at) : stripped
  return { plain: plain.replaceAll(CONTROLS, ''), rest: isPlausible ? stripped.slice(at) : '' }
}

/** The line as a terminal shows it at its end: a carriage return starts it again. */
export function shownLine(line: string): string {
  return (stripSequences(line).plain.trim().split('\r').at(-1) ?? '').trim()
}
