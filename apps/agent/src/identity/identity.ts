import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PublicKey } from '@muster/contract/agent/enrol'
import { z } from 'zod'
import { CliError } from '../cli/cli-error.ts'
import { dataFiles, writePrivateFile } from './data-folder.ts'

/** Content of agent.json: this agent's identity and the server that it trusts. */
export const Identity = z.object({
  server_url: z.url({ protocol: /^https?$/ }),
  agent_id: z.string().min(1),
  /** The only key whose commands are run. */
  command_key: PublicKey,
  /** If set, the only CA that the server's certificate may come from. */
  ca_pem: z.string().nullable(),
  machine_key: z.string(),
  enrolled_at: z.string(),
})
export type Identity = z.infer<typeof Identity>

export function findIdentity(folder: string): Identity | undefined {
  const file = join(folder, dataFiles.identity)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw new CliError(`${file} cannot be read`, { cause })
  }
  try {
    return Identity.parse(JSON.parse(text))
  } catch (cause) {
    throw new CliError(`${file} is damaged. Enrol this machine again`, {
      cause: cause instanceof z.ZodError ? z.prettifyError(cause).replaceAll(/\s+/g, ' ') : cause,
    })
  }
}

export function requireIdentity(folder: string): Identity {
  const identity = findIdentity(folder)
  if (identity !== undefined) return identity
  throw new CliError(`no agent is enrolled in ${folder}. Run "enrol --server URL --token TOKEN" first`)
}

export function writeIdentity(folder: string, identity: Identity): void {
  writePrivateFile(folder, dataFiles.identity, `${JSON.stringify(identity, null, 2)}\n`)
}
