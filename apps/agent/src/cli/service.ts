import { isAbsolute, join } from 'node:path'
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { z } from 'zod'
import { dataFiles, writePrivateFile } from '../identity/data-folder.ts'
import { requireIdentity } from '../identity/identity.ts'
import { os } from '../os/index.ts'
import { CliError } from '../errors.ts'
import { isLocked } from '../state/lock.ts'

/** Installs this agent as a system service. Safe to repeat. */
export async function install(options: {
  folder: string
  program: string[]
  /** The folder that contains the program itself. `uninstall` removes it. */
  programFolder: string | undefined
}): Promise<void> {
  const { folder, program, programFolder } = options
  requireIdentity(folder)
  if (programFolder !== undefined) {
    if (!isAbsolute(programFolder) || programFolder.split('/').filter(Boolean).length < 2) {
      throw new CliError(`"${programFolder}" cannot be the program folder. Use its full path`)
    }
    writePrivateFile(folder, dataFiles.installation, `${JSON.stringify({ program_folder: programFolder })}\n`)
  }
  process.stdout.write(`${await os.service.install({ folder, program })}\n`)
}

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
