/** From `ps -o pid=,ppid=,pgid=,stat=,command=`: the processes of a run, by group, mark and parent. */
export function parsePsRunProcesses(output: string, root: number, marker: string): number[] {
  const entries = output.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, command] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (pid === undefined || state?.startsWith('Z') !== false) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), command: command ?? '' }]
  })
  const mark = ` MUSTER_RUN=${marker} `
  const found = new Set<number>()
  for (const { pid, group, command } of entries) {
    if (root > 0 && (pid === root || group === root)) found.add(pid)
    if (`${command} `.includes(mark)) found.add(pid)
  }
  let before = -1
  while (found.size !== before) {
    before = found.size
    for (const { pid, parent } of entries) if (found.has(parent)) found.add(pid)
  }
  found.delete(process.pid)
  return [...found]
}
