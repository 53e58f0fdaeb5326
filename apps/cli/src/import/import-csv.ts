import { CustomFieldType } from '@muster/contract/custom-field-values'
import { CliError } from '../errors.ts'
import type { Context } from '../output.ts'
import { finishImport } from './apply.ts'
import { type CsvRow, parseCsv } from './csv.ts'
import { plainNode, planClients, planFields, planNodeSettings } from './plan-clients.ts'
import { readPresent } from './present.ts'
import { readImportFile } from './read-file.ts'
import { nameKey } from '@muster/contract/names'
import { Planner } from './steps.ts'
import type { OldClient, OldField, OldFieldValue } from './tactical.ts'

const FIELD_COLUMN = /^(client|site)\.(.+)$/i
const HEADER =
  'Line 1: the header needs the columns client and site, and may have client.FIELD and site.FIELD.'

/** Clients and sites with values of custom fields, one row for each site. Returns the exit code. */
export async function importCsv(context: Context, file: string, apply: boolean): Promise<number> {
  const planner = new Planner()
  const [header, ...rows] = parseCsv(readImportFile(file))
  const columns = readHeader(header)
  const present = await readPresent(context.client)
  const fields = columns.fields.map(({ id, model, name }): OldField => {
    const here = present.fields.find((one) => one.model === model && nameKey(one.name) === nameKey(name))
    // The type that it has here, so that its values are read as such.
    return {
      ...TEXT_FIELD,
      id,
      model,
      name,
      type: here?.type ?? CustomFieldType.enum.text,
      options: here?.options ?? [],
    }
  })
  const clients = readClients(planner, columns, rows)
  planFields(planner, fields, present.fields)
  planClients(planner, clients, present.clients)
  planNodeSettings(planner, { clients, fields }, present)
  return finishImport(context, planner.steps, apply)
}

const TEXT_FIELD = {
  required: false,
  default_value_string: '',
  default_value_bool: false,
  default_values_multiple: [],
  hide_in_ui: false,
  hide_in_summary: false,
}

interface Columns {
  count: number
  client: number
  site: number
  fields: { id: number; index: number; model: 'client' | 'site'; name: string }[]
}

function readHeader(header: CsvRow | undefined): Columns {
  const names = (header?.cells ?? []).map((cell) => cell.trim())
  const folded = names.map((name) => nameKey(name))
  const client = folded.indexOf('client')
  const site = folded.indexOf('site')
  if (client < 0 || site < 0) throw new CliError(HEADER)
  const twice = names.find((name, index) => folded.indexOf(nameKey(name)) !== index)
  if (twice !== undefined) throw new CliError(`Line 1: the column "${twice}" stands twice.`)
  const fields = names.flatMap((name, index) => {
    if (index === client || index === site) return []
    const [, model = '', field = ''] = FIELD_COLUMN.exec(name) ?? []
    if (field === '') throw new CliError(`Line 1: the column "${name}" is not known. ${HEADER}`)
    return [
      {
        id: index + 1,
        index,
        model: nameKey(model) === 'client' ? ('client' as const) : ('site' as const),
        name: field,
      },
    ]
  })
  return { count: names.length, client, site, fields }
}

/** Ids are the numbers of lines. Malformed rows are left out by line. */
function readClients(planner: Planner, columns: Columns, rows: readonly CsvRow[]): OldClient[] {
  const clients = new Map<string, OldClient>()
  for (const { line, cells } of rows) {
    const leaveOut = (reason: string) => planner.leaveOut({ kind: 'row', name: `line ${line}`, reason })
    const clientName = cells[columns.client]?.trim() ?? ''
    const siteName = cells[columns.site]?.trim() ?? ''
    if (cells.length !== columns.count) {
      leaveOut(`It has ${cells.length} columns, the header has ${columns.count}.`)
      continue
    }
    if (clientName === '' || siteName === '') {
      leaveOut(`The ${clientName === '' ? 'client' : 'site'} is empty.`)
      continue
    }
    const valuesOf = (model: 'client' | 'site') =>
      columns.fields
        .filter((field) => field.model === model)
        .map(({ id, index }): OldFieldValue => ({ field: id, value: cells[index]?.trim() ?? '' }))
    const client: OldClient = clients.get(nameKey(clientName)) ?? {
      ...plainNode(line, clientName),
      sites: [],
    }
    clients.set(nameKey(clientName), client)
    for (const { field, value } of valuesOf('client')) addValue(client, field, value, leaveOut)
    if (client.sites.some(({ name }) => nameKey(name) === nameKey(siteName))) {
      leaveOut(`The site "${siteName}" of "${client.name}" stands in a line before.`)
      continue
    }
    client.sites.push({ ...plainNode(line, siteName), custom_fields: valuesOf('site') })
  }
  return [...clients.values()]
}

/** The first value that is not empty counts; another one is named. */
function addValue(
  client: OldClient,
  field: number,
  value: OldFieldValue['value'],
  leaveOut: (reason: string) => void,
): void {
  if (value === '') return
  const before = client.custom_fields.find((one) => one.field === field)
  if (before === undefined) client.custom_fields.push({ field, value })
  else if (before.value !== value)
    leaveOut(`The client "${client.name}" has another value for a field in a line before.`)
}
