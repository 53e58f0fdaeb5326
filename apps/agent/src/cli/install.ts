import { isAbsolute } from 'node:path'
import { dataFiles, writePrivateFile } from '../identity/data-folder.ts'
import { requireIdentity } from '../identity/identity.ts'
import { os } from '../os/index.ts'
import { CliError } from './cli-error.ts'

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
