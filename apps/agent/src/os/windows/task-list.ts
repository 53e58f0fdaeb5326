/**
 * From `tasklist /fo csv /nh`: `"notepad.exe","4711","Console","1","12,345 K"`. The number is written as the country
 * does it. Case does not matter, and `.exe` may be left out.
 */
export function sumNamedTasks(output: string, name: string): { count: number; memoryBytes: number } {
  const wanted = bare(name)
  let count = 0
  let memoryBytes = 0
  for (const line of output.split(/\r?\n/)) {
    const fields = [...line.matchAll(/"([^"]*)"/g)].map(([, field]) => field ?? '')
    if (fields.length < 5 || bare(fields[0] ?? '') !== wanted) continue
    count += 1
    memoryBytes += Number((fields.at(-1) ?? '').replaceAll(/\D/g, '')) * 1024
  }
  return { count, memoryBytes }
}

const bare = (name: string) => name.toLowerCase().replace(/\.exe$/, '')
