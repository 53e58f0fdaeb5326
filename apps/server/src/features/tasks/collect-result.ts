import type { CustomField } from '@muster/contract/api/custom-fields'
import {
  type CustomFieldInput,
  customFieldPayload,
  readFieldPayload,
} from '@muster/rules/agents/custom-fields'
import { shownLine, stripSequences } from '@muster/rules/text/escape-sequences'
import { hasCutLastLine, hasLeftOut } from '@muster/rules/text/output-ends'
import type { Db } from '../../platform/database/database.ts'
import { audit } from '../audit/write-audit.ts'
import { findField, viewField } from '../custom-fields/queries.ts'
import { setFieldValues } from '../custom-fields/set-values.ts'
import { markVariablesStale } from './mark-variables-stale.ts'
import type { TxContext } from './store-task-reports.ts'

/** A task, or a job that runs a script. */
interface Collecting {
  noun: 'task' | 'job'
  agent_id: string
  name: string
  custom_field: number
  collector_all_output: 0 | 1
}

interface Collected {
  /** The output of each action. */
  parts: readonly string[]
  /** A part of this length was cut by an agent that keeps only the end. */
  room: number
}

const MAX_VALUE_LENGTH = 10_000
const SERVER = { username: 'server', source: '' }

/**
 * Stores the output of a run in the custom field of its task or job: of the machine, or of its site or client, depending on
 * the field. Empty output empties it. Returns why it could not be stored, as a sentence; the field is then unchanged,
 * and the run has the output.
 */
export async function collectResult(
  { ctx, tx, emit }: TxContext,
  task: Collecting,
  collected: Collected,
): Promise<string> {
  const row = await findField(tx, task.custom_field)
  // Deleted a moment ago.
  if (row === undefined) return ''
  const field = viewField(row)
  const read = readPayload(field, task, collected)
  if ('wrong' in read) return `The result was not stored. ${read.wrong}`
  const owner = (await findOwners(tx, task.agent_id))[field.model]
  const changes = await setFieldValues(tx, { model: field.model, id: owner.id }, [read.payload])
  if (changes === undefined) return ''
  await audit(tx, {
    caller: SERVER,
    action: 'modify',
    object_type: field.model,
    message: `The ${task.noun} "${task.name}" changed the custom field "${field.name}"`,
    before: { custom_fields: changes.before },
    after: { custom_fields: changes.after },
    ...owner.subject,
    at: ctx.now(),
    emit,
  })
  await markVariablesStale(tx, emit, owner.machines)
  emit(owner.event)
  return ''
}

function readPayload(
  field: CustomField,
  { collector_all_output }: Collecting,
  { parts, room }: Collected,
): { payload: ReturnType<typeof customFieldPayload> } | { wrong: string } {
  const isAll = collector_all_output === 1
  const output = joinOutput(parts)
  const text = isAll
    ? stripSequences(output).plain.trim().replaceAll('\r\n', '\n')
    : shownLine(output.trim().split('\n').at(-1) ?? '')
  // The machine keeps only parts of a longer output: the value would be incomplete.
  const isCut = isAll
    ? parts.some((part) => part.length >= room || hasLeftOut(part))
    : text.length >= room || hasCutLastLine(output)
  if (isCut || text.length > MAX_VALUE_LENGTH) return { wrong: `The output is too long for ${field.name}.` }
  const found = readOutput(field, text)
  if ('wrong' in found) return found
  const payload = customFieldPayload(field, found.value)
  const checked = readFieldPayload(field, payload)
  return 'wrong' in checked ? checked : { payload }
}

/** The owner of a value of each model. */
async function findOwners(tx: Db, agentId: string) {
  const { site_id, client_id } = await tx
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['site_id', 'client_id'])
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow()
  const ofClient = { type: 'client.changed' as const, ids: [client_id] }
  return {
    agent: {
      id: agentId,
      subject: { agent: { agent_id: agentId } },
      machines: { agentIds: [agentId] },
      event: { type: 'agent.changed' as const, ids: [agentId], agent_ids: [agentId] },
    },
    site: {
      id: site_id,
      subject: { site: { id: site_id } },
      machines: { siteId: site_id },
      event: ofClient,
    },
    client: {
      id: client_id,
      subject: { client: { id: client_id } },
      machines: { clientId: client_id },
      event: ofClient,
    },
  }
}

const YES = new Set(['true', '1', 'yes', 'on'])
const NO = new Set(['false', '0', 'no', 'off'])

/** The output as a value of this field, or why it does not fit. */
function readOutput(
  { name, type, options }: Pick<CustomField, 'name' | 'type' | 'options'>,
  text: string,
): { value: CustomFieldInput } | { wrong: string } {
  if (type === 'multiple') {
    const lines = text.split('\n').map((line) => line.trim())
    // A choice may contain a comma itself.
    const words = lines.flatMap((line) => (options.includes(line) ? [line] : line.split(',')))
    return { value: words.map((word) => word.trim()).filter((word) => word !== '') }
  }
  if (type !== 'checkbox') return { value: text }
  const word = text.toLowerCase()
  if (YES.has(word)) return { value: true }
  if (NO.has(word)) return { value: false }
  return { wrong: `${name} accepts true or false, 1 or 0, yes or no, on or off.` }
}

/** Concatenates the output of several actions, each starting on a new line. */
export function joinOutput(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map((part) => (part.endsWith('\n') ? part : `${part}\n`))
    .join('')
}
