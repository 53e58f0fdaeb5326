import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import { fetchPackages, type WineMachine, windowsPath } from './wine-machine.ts'

/**
 * Runs a file of this folder in Wine and returns what it wrote. It takes its input from a JSON file and writes JSON to
 * another one (its two arguments): the console of Windows has another encoding, and Wine has none.
 */
export async function runInWine<Input, Output>(
  machine: WineMachine,
  file: string,
  input: Input,
): Promise<Output> {
  const program = await bundleForWine(file)
  const [given, written] = [join(machine.folder, 'input.json'), join(machine.folder, 'output.json')]
  writeFileSync(given, JSON.stringify(input))
  rmSync(written, { force: true })
  const code = await machine.run([...program, ...[given, written].map(windowsPath)])
  if (code !== 0) {
    const reported = existsSync(written) ? readFileSync(written, 'utf8') : 'nothing'
    throw new Error(`Node for Windows ended with ${code}: ${machine.readOutput()}; reported: ${reported}`)
  }
  // Written by that file.
  return JSON.parse(readFileSync(written, 'utf8')) as Output
}

/** The command line that runs a file of this folder in Wine. */
export async function bundleForWine(file: string): Promise<string[]> {
  const { folder, node } = fetchPackages()
  const program = join(folder, file.replace(/ts$/, 'mjs'))
  await build({
    input: join(import.meta.dirname, file),
    platform: 'node',
    external: ['koffi'],
    logLevel: 'warn',
    output: { file: program, format: 'esm', codeSplitting: false },
  })
  return [node, windowsPath(program)]
}
