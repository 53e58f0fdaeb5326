/** The kernel of Linux cuts names to this many bytes. */
const MAX_KERNEL_NAME_BYTES = 15
/** An interpreter may come with some options before its script. */
const MAX_ARGUMENTS = 16
const MAX_NAME = 255

const SHELL = /^(?:ba|da|a|z|k|mk|c|tc|fi)?sh$/
const INTERPRETER = /^(?:python|perl|ruby|php|node|nodejs|lua|tclsh)[\d.]*$/
/** Options after which no script follows, but commands or the name of a module. */
const SHELL_COMMAND = /^-[a-z]*c$/
const INLINE_PROGRAM = /^(?:-[a-zA-Z]*[cem]|-[rp]|--eval|--print)$/

/**
 * Names by which a process of Linux is known; the first one is shown. They are the kernel's name, in full if it was
 * cut, the first word of the command line, and the script behind an interpreter. The process list and process checks
 * use the same names.
 */
export function linuxProcessNames(kernelName: string, commandLine: string): [string, ...string[]] {
  const args = commandLine.replace(/\0+$/, '').split('\0', MAX_ARGUMENTS)
  const program = programName(args[0] ?? '')
  const shown = fullName(kernelName, program, args)
  const others = [kernelName, program, scriptName(program, args)].filter(
    (name) => name !== undefined && name !== '' && name !== shown,
  )
  return [shown, ...others.map((name = '') => name)]
}

/** `/usr/sbin/sshd` is sshd, and a login shell named `-bash` is bash. */
export function programName(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/^-/, '').slice(0, MAX_NAME)
}

/** The name of the script that an interpreter runs. `args`: the command line from the interpreter on. */
export function scriptName(program: string, args: readonly string[]): string | undefined {
  const isShell = SHELL.test(program)
  if (!isShell && !INTERPRETER.test(program)) return undefined
  const noScript = isShell ? SHELL_COMMAND : INLINE_PROGRAM
  for (const argument of args.slice(1, MAX_ARGUMENTS)) {
    if (noScript.test(argument)) return undefined
    if (!argument.startsWith('-')) return programName(argument)
  }
  return undefined
}

function fullName(kernelName: string, program: string, args: readonly string[]): string {
  // Programs rename their first thread: Node uses MainThread.
  if (kernelName === 'MainThread' && program !== '') return program
  if (Buffer.byteLength(kernelName) < MAX_KERNEL_NAME_BYTES) return kernelName
  // A letter of several bytes may be cut as well.
  const start = kernelName.replace(/\uFFFD+$/, '')
  // Programs that write their state into the command line have one argument, with the name as its first word.
  const candidates = [...args.map(programName), programName((args[0] ?? '').split(/:? /, 1)[0] ?? '')]
  const full = candidates.find((name) => name.startsWith(start))
  return full === undefined ? kernelName : full.split(': ', 1)[0] || kernelName
}
