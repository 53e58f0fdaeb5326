import type { RegistryChange } from '@muster/contract/agent/registry'
import type { Context } from '../../../context.ts'
import { type Asking, askMachine } from '../../../fleet/ask-machine.ts'
import { viewData } from './view.ts'

/** So much of what a value was and is stands in the audit log. */
const MOST_KEPT = 2000

/** Changes the registry of a machine, and writes down what was there before. */
export async function changeRegistry(
  ctx: Context,
  asking: Asking,
  change: RegistryChange,
): Promise<{ path: string }> {
  await askMachine(ctx, asking, {
    name: 'change-registry',
    input: change,
    action: ACTIONS[change.change],
    object_type: 'registry',
    describe: () => describe(change),
    before: (answer) => {
      const was = answer?.before
      return was === null || was === undefined ? undefined : keep(viewData(was))
    },
    keep: () => describeAfter(change),
  })
  return { path: change.path }
}

const ACTIONS = {
  'create-key': 'add',
  'rename-key': 'modify',
  'delete-key': 'delete',
  'set-value': 'modify',
  'rename-value': 'modify',
  'delete-value': 'delete',
} as const satisfies Record<RegistryChange['change'], string>

function describe(change: RegistryChange): string {
  const { path } = change
  switch (change.change) {
    case 'create-key':
      return `Made the registry key "${path}"`
    case 'rename-key':
      return `Renamed the registry key "${path}" to "${change.new_name}"`
    case 'delete-key':
      return `Deleted the registry key "${path}" with all below it`
    case 'set-value':
      return `${change.is_new ? 'Added' : 'Changed'} ${nameOf(change.name)} of the registry key "${path}"`
    case 'rename-value':
      return `Renamed ${nameOf(change.name)} of the registry key "${path}" to "${change.new_name}"`
    case 'delete-value':
      return `Deleted ${nameOf(change.name)} of the registry key "${path}"`
  }
}

const nameOf = (name: string) => (name === '' ? 'the default value' : `the value "${name}"`)

function describeAfter(change: RegistryChange): object {
  if (change.change !== 'set-value') return change
  const { path, name, type, bytes } = change
  return { path, name, ...keep(viewData({ type, bytes, size: Buffer.byteLength(bytes, 'base64') })) }
}

function keep({ type, data, size }: ReturnType<typeof viewData>) {
  return { type, data: data.slice(0, MOST_KEPT), size }
}
