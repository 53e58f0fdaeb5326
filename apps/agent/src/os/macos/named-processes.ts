/** From `ps -axo stat=,rss=,comm=`, where the command is the full path of the program. Case-insensitive. */
export function sumNamedProcesses(output: string, name: string): { count: number; memoryBytes: number } {
  let count = 0
  let memoryBytes = 0
  for (const line of output.split('\n')) {
    const [, state, kilobytes, command] = /^\s*(\S+)\s+(\d+)\s+(.+?)\s*$/.exec(line) ?? []
    if (state === undefined || state.startsWith('Z') || command === undefined) continue
    const program = (command.split('/').at(-1) ?? '').replace(/^-/, '')
    if (program.toLowerCase() !== name.toLowerCase()) continue
    count += 1
    memoryBytes += Number(kilobytes) * 1024
  }
  return { count, memoryBytes }
}
