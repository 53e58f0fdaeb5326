import '@mantine/core/styles/Alert.css'
import {
  type Check,
  CheckType,
  createCheck,
  deleteCheck,
  editCheck,
  getCheck,
  listAgentChecks,
} from '@muster/contract/api/checks'
import type { AgentDetail } from '@muster/contract/api/agents'
import { ApiError } from '@muster/contract/client'
import { nameCheck } from '@muster/rules/checks/check-name'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Alert, Button, Text } from '@mantine/core'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { AgentDialog, AgentItemDialog, type ItemDialogProps } from '../agents/AgentItemDialog.tsx'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { CheckFormDialog } from './CheckFormDialog.tsx'
import { type CheckForm, newCheckForm, readCheckForm, toCheckBody } from './check-form.ts'
import { DependencyFields } from './fields/DependencyFields.tsx'
import { TYPE_LABELS } from './check-labels.ts'
import { fieldLabel } from './field-labels.ts'

/** A new check; the address holds the machine and the type: `AGENTID.cpuload`. */
export function AddCheckDialog({ item = '', close }: AddressedDialogProps) {
  const [agentId = '', typeName] = item.split('.')
  const type = CheckType.safeParse(typeName)
  return (
    <GuardedDialog title="New check" needs="can_manage_checks" onClose={close}>
      {type.success ? (
        <AgentDialog title="New check" agentId={agentId} onClose={close}>
          {(agent) => <AddForm agent={agent} type={type.data} close={close} />}
        </AgentDialog>
      ) : (
        <Dialog title="New check" onClose={close}>
          <EmptyState message="Unknown check type" />
        </Dialog>
      )}
    </GuardedDialog>
  )
}

function AddForm({ agent, type, close }: { agent: AgentDetail; type: CheckType; close: () => void }) {
  const queryClient = useQueryClient()
  return (
    <CheckFormDialog
      title={`New check of ${agent.hostname}: ${TYPE_LABELS[type]}`}
      agent={agent}
      type={type}
      start={newCheckForm(type)}
      isNew
      save={async (form) => {
        const body = toCheckBody(type, form)
        if (body === undefined) return
        await call(createCheck, { body: { agent: agent.agent_id, ...body } })
        await queryClient.invalidateQueries({ queryKey: queryKey(listAgentChecks) })
      }}
      done="Check added. The first run starts in a moment."
      close={close}
      dependsOn={(form) => <DependencyFields agent={agent} form={form} />}
    />
  )
}

/** Edits the check in the address. */
export function EditCheckDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Edit check" needs="can_manage_checks" onClose={close}>
      <CheckDialog title="Edit check" item={item} close={close}>
        {(check, agent) => <EditForm opened={check} agent={agent} close={close} />}
      </CheckDialog>
    </GuardedDialog>
  )
}

interface EditFormProps {
  opened: Check
  agent: AgentDetail
  close: () => void
}

function EditForm({ opened, agent, close }: EditFormProps) {
  const queryClient = useQueryClient()
  // The form keeps its initial values while others change the check; the server reports conflicts.
  const [check, setCheck] = useState(opened)
  const [conflict, setConflict] = useState<Check>()
  const params = { id: check.id }
  const type = check.settings.check_type
  return (
    <CheckFormDialog
      title={`Edit ${nameCheck(check)}`}
      agent={agent}
      type={type}
      check={check}
      start={readCheckForm(check)}
      save={async (form) => {
        const body = toCheckBody(type, form)
        if (body === undefined) return
        try {
          const saved = await call(editCheck, { params, body: { ...body, modified: check.modified } })
          queryClient.setQueryData(queryKey(getCheck, { params }), saved)
          await queryClient.invalidateQueries({ queryKey: queryKey(listAgentChecks) })
        } catch (error) {
          if (error instanceof ApiError && error.code === 'changed_meanwhile') {
            setConflict(await queryClient.fetchQuery({ ...query(getCheck, { params }), staleTime: 0 }))
          }
          throw error
        }
      }}
      done="Check saved."
      close={close}
      dependsOn={(form) => <DependencyFields agent={agent} check={check} form={form} />}
      notice={(form) =>
        conflict && (
          <CheckConflict
            before={check}
            now={conflict}
            onReload={() => {
              // The user's own changes stay; all other values become the current ones.
              const start = readCheckForm(check)
              const mine = Object.entries(form.getValues()).filter(
                ([name, value]) => JSON.stringify(value) !== JSON.stringify(start[name]),
              )
              form.setInitialValues(readCheckForm(conflict))
              form.setValues({ ...readCheckForm(conflict), ...Object.fromEntries(mine) })
              form.clearErrors()
              setCheck(conflict)
              setConflict(undefined)
            }}
          />
        )
      }
    />
  )
}

interface CheckConflictProps {
  /** As it was when the form was opened. */
  before: Check
  now: Check
  onReload: () => void
}

/** A conflict: what changed, and how to continue. */
function CheckConflict({ before, now, onReload }: CheckConflictProps) {
  const [old, fresh] = [readNamed(before), readNamed(now)]
  const changed = Object.keys(fresh).filter((name) => textOf(old[name]) !== textOf(fresh[name]))
  return (
    <Alert color="warning" mb="md" title="Another user has changed this check">
      {changed.length > 0 && (
        <ul>
          {changed.map((name) => (
            <li key={name}>
              {fieldLabel(name)}: {textOf(old[name])} → {textOf(fresh[name])}
            </li>
          ))}
        </ul>
      )}
      <Button variant="default" mt="sm" onClick={onReload}>
        Use the new values
      </Button>
    </Alert>
  )
}

/** The form with the name of the check it depends on. */
const readNamed = (check: Check): CheckForm => ({
  ...readCheckForm(check),
  depends_on: check.dependency?.readable_desc ?? check.depends_on,
})

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'empty'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number)
}

/** Deletes the check in the address, with its history. */
export function RemoveCheckDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Delete check" needs="can_manage_checks" onClose={close}>
      <CheckDialog title="Delete check" item={item} close={close} size="sm">
        {(check, { hostname }) => (
          <RemoveDialog
            title="Delete this check?"
            message={
              <Text>
                <bdi>{nameCheck(check)}</bdi> on {hostname} and its history will be deleted.
              </Text>
            }
            remove={() => call(deleteCheck, { params: { id: check.id } })}
            done="Check deleted."
            stale={queryKey(listAgentChecks)}
            onClose={close}
          />
        )}
      </CheckDialog>
    </GuardedDialog>
  )
}

/** A dialog about the check in the address, and its machine. */
export function CheckDialog({ item, ...props }: ItemDialogProps<Check> & { item: string }) {
  return <AgentItemDialog noun="check" query={query(getCheck, { params: { id: Number(item) } })} {...props} />
}
