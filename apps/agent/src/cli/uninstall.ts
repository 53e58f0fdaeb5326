import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { dataFiles } from '../identity/data-folder.ts'
import { os } from '../os/index.ts'
import { isLocked } from '../state/lock.ts'
import { CliError } from './cli-error.ts'

const PATIENCE_MS = 15_000
// The installer stores the server's certificate there.
const OWN_FILES =
  /^(agent\.json|key\.pem|state\.|agent\.lock|status\.json|installation\.json|server-ca\.pem|run$|code-cache$)/

/** Removes the service, the agent's data, and the program if the installer created a folder for it. */
export async function uninstall(folder: string): Promise<void> {
  process.stdout.write(`${await os.service.uninstall(folder)}\n`)
  if (!existsSync(folder)) {
    process.stdout.write(`There is no data folder ${folder}.\n`)
    return
  }
  await waitUntilStopped(folder)
  const programFolder = findProgramFolder(folder)
  removeData(folder)
  process.stdout.write(`The agent's data in ${folder} was removed.\n`)
  if (programFolder !== undefined) {
    rmSync(programFolder, { recursive: true, force: true })
    process.stdout.write(`The program in ${programFolder} was removed.\n`)
  }
}

async function waitUntilStopped(folder: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (isLocked(folder)) {
    if (Date.now() > deadline) throw new CliError(`an agent is still running with ${folder}. Stop it first`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Removes only the agent's own files: the folder may contain others. */
function removeData(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (OWN_FILES.test(name)) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

function findProgramFolder(folder: string): string | undefined {
  const file = join(folder, dataFiles.installation)
  if (!existsSync(file)) return undefined
  const installation = z
    .object({ program_folder: z.string() })
    .safeParse(JSON.parse(readFileSync(file, 'utf8')))
  return installation.data?.program_folder
}
