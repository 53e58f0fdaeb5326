import type { AgentFacts, ProtectionSubject } from '@muster/contract/agent/facts'
import { formatFileSize } from '@muster/rules/text/units'
import type { Db } from '../../platform/database/database.ts'

const MAX_LENGTH = 200
/** A machine that always reports something else must not fill the database. */
export const MAX_CHANGES = 500

/** Each kernel reserves another part of the memory. */
const MEMORY_TOLERANCE = 0.02

const list = (names: readonly string[]) => names.join(', ')

/** Facts worth a timeline entry. Values that change by the hour are not included. */
const WATCHED: Record<string, (facts: AgentFacts) => string> = {
  'Operating system': ({ os_name, os_version }) => `${os_name} ${os_version}`.trim(),
  Agent: ({ agent_version }) => agent_version,
  Hostname: ({ hostname }) => hostname,
  'Time zone': ({ time_zone }) => time_zone,
  Memory: ({ total_ram }) => (total_ram === 0 ? '' : formatFileSize(total_ram)),
  Processors: ({ cpus }) => list(cpus),
  Graphics: ({ graphics }) => list(graphics),
  Disks: ({ physical_disks }) =>
    list(physical_disks.map(({ name, size }) => `${name} ${formatFileSize(size)}`)),
  'Make and model': ({ make, model }) => `${make} ${model}`.trim(),
  'Serial number': ({ serial_number }) => serial_number,
  Antivirus: protection('antivirus'),
  Firewall: protection('firewall'),
  'Disk encryption': protection('disk_encryption'),
  TPM: protection('tpm'),
  'Access control': protection('access_control'),
}

/** `C: on, D: off`; empty while one of them is unknown, because that is no change. */
function protection(subject: ProtectionSubject) {
  return ({ security = [] }: AgentFacts) => {
    const found = security.filter((one) => one.subject === subject)
    if (found.some(({ state }) => state === 'unknown')) return ''
    return list(found.map(({ name, state }) => `${name} ${state}`))
  }
}

/** Changed facts as lines: `Operating system: Debian 12.1 → Debian 12.2`. Previously unknown values are skipped. */
export function describeChanges(before: AgentFacts, after: AgentFacts): string[] {
  const isSameMemory = Math.abs(after.total_ram - before.total_ram) < after.total_ram * MEMORY_TOLERANCE
  const changed = isSameMemory ? { ...after, total_ram: before.total_ram } : after
  return Object.entries(WATCHED).flatMap(([name, describe]) => {
    const was = describe(before)
    const is = describe(changed)
    return was === '' || is === '' || was === is ? [] : [`${name}: ${cut(was)} → ${cut(is)}`]
  })
}

/** Stores the changes for the machine's timeline, and drops the oldest. */
export async function storeChanges(
  tx: Db,
  { agentId, at, texts }: { agentId: string; at: number; texts: readonly string[] },
): Promise<void> {
  if (texts.length === 0) return
  await tx
    .insertInto('machine_changes')
    .values(texts.map((text) => ({ agent_id: agentId, at, text })))
    .execute()
  const tooOld = tx
    .selectFrom('machine_changes')
    .select('id')
    .where('agent_id', '=', agentId)
    .orderBy('id', 'desc')
    .offset(MAX_CHANGES)
    .limit(1)
  await tx.deleteFrom('machine_changes').where('agent_id', '=', agentId).where('id', '<=', tooOld).execute()
}

const cut = (text: string) => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text)
