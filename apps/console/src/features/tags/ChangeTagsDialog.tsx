import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type AgentRow, listAgents } from '@muster/contract/api/agents'
import { MAX_TAGGED_AGENTS, tagAgents } from '@muster/contract/api/tags'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { readCheckedMachines } from '../agents/checked-machines.ts'
import { TagInput } from './TagInput.tsx'

const TITLE = 'Change tags'

/** Adds tags to the checked machines, and removes others. */
export function ChangeTagsDialog({ close }: AddressedDialogProps) {
  const { ids } = readCheckedMachines()
  return (
    <GuardedDialog title={TITLE} needs="can_edit_agent" onClose={close}>
      {ids.size === 0 ? (
        <Dialog title={TITLE} onClose={close}>
          <EmptyState message="No machines selected. Check machines in the table first." />
        </Dialog>
      ) : (
        <ChangeTagsForm ids={[...ids]} close={close} />
      )}
    </GuardedDialog>
  )
}

function ChangeTagsForm({ ids, close }: { ids: readonly string[]; close: () => void }) {
  const queryClient = useQueryClient()
  const form = useForm({
    initialValues: { add: [] as string[], remove: [] as string[] },
    validate: {
      remove: (remove, { add }) =>
        remove.some((name) => add.includes(name)) ? 'Remove other tags than you add.' : null,
    },
  })
  const save = async ({ add, remove }: { add: string[]; remove: string[] }) => {
    let changed = 0
    for (let from = 0; from < ids.length; from += MAX_TAGGED_AGENTS) {
      const agents = ids.slice(from, from + MAX_TAGGED_AGENTS)
      changed += (await call(tagAgents, { body: { agents, add, remove } })).changed
    }
    notifyDone(changed === 1 ? 'Changed the tags of 1 machine.' : `Changed the tags of ${changed} machines.`)
  }
  const machines = ids.length === 1 ? '1 machine' : `${ids.length.toLocaleString('en')} machines`
  return (
    <FormDialog title={`${TITLE} of ${machines}`} form={form} save={save} onClose={close}>
      <Stack gap="md">
        <TagInput
          label="Add"
          description="Press Enter after each tag. New names become new tags."
          autoFocus
          {...form.getInputProps('add')}
        />
        <TagInput
          label="Remove"
          description="Tags of clients stay."
          choices={findTagsOf(queryClient.getQueriesData({ queryKey: queryKey(listAgents) }), ids)}
          {...form.getInputProps('remove')}
        />
      </Stack>
    </FormDialog>
  )
}

/** The tags of these machines, in the lists that the table has loaded. */
function findTagsOf(lists: readonly (readonly [unknown, unknown])[], ids: readonly string[]): string[] {
  const checked = new Set(ids)
  const names = new Set<string>()
  for (const [, rows] of lists) {
    if (!Array.isArray(rows)) continue
    // Lists of this endpoint hold rows, or names without tags.
    for (const row of rows as Partial<AgentRow>[])
      if (row.agent_id !== undefined && checked.has(row.agent_id))
        for (const name of row.tags ?? []) names.add(name)
  }
  return [...names].toSorted()
}
