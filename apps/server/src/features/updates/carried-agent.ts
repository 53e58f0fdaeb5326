import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type AgentManifest, AgentVersion, TRIAL_SECONDS } from '@muster/contract/agent/updates'
import { z } from 'zod'

export const PROGRAM_PATH = '/agent/versions/'

/** The agent that this server offers. */
export interface CarriedAgent extends Omit<AgentManifest, 'rollback'> {
  /** The program with gzip, as it travels. */
  packed: Buffer
}

/** Written by deploy/build.mjs beside the program. */
const BuiltVersion = z.object({ version: AgentVersion, node: z.int() })

let known: { folder: string; builtMs: number; agent: CarriedAgent } | undefined

/** Reads the built agent of a folder, again only after another build. Undefined if there is none. */
export async function findCarriedAgent(folder: string): Promise<CarriedAgent | undefined> {
  const file = join(folder, 'version.json')
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return undefined
  if (known?.folder === folder && known.builtMs === found.mtimeMs) return known.agent
  const { version, node } = BuiltVersion.parse(JSON.parse(await readFile(file, 'utf8')))
  const program = await readFile(join(folder, 'agent.mjs'))
  const agent = {
    version,
    node,
    sha256: createHash('sha256').update(program).digest('hex'),
    bytes: program.byteLength,
    path: `${PROGRAM_PATH}${version}/agent.mjs`,
    trial_seconds: TRIAL_SECONDS,
    packed: await promisify(gzip)(program, { level: 9 }),
  }
  known = { folder, builtMs: found.mtimeMs, agent }
  return agent
}
