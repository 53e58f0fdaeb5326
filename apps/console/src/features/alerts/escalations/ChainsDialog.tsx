import { Button, Text } from '@mantine/core'
import { deleteEscalationChain, type EscalationChain } from '@muster/contract/api/escalations'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { type AddressedDialogProps, useDialog, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { EditAndDelete, ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { afterLabel, chainsQuery } from './chain-form.ts'

const TITLE = 'Escalation chains'

/** The escalation chains with their steps. */
export function ChainsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_alerttemplates" size="lg" onClose={close}>
      <Chains close={close} />
    </GuardedDialog>
  )
}

function Chains({ close }: { close: () => void }) {
  const mayManage = useMay('can_manage_alerttemplates')
  const { open } = useDialog()
  const { openRecord } = useRecordAddress('escalation-chains', 'escalation-chain')
  const chains = useQuery(chainsQuery)
  const [removing, setRemoving] = useState<EscalationChain>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={chains}
        empty="No escalation chains yet. A chain notifies the next user when nobody acknowledges."
        create={mayManage && <NewButton onClick={() => openRecord('new')}>New chain</NewButton>}
        others={
          <Button variant="default" onClick={() => open('on-call-schedules')}>
            On-call schedules
          </Button>
        }
        searchText={({ name }) => name}
      >
        {(chain) => (
          <ListRow
            key={chain.id}
            name={chain.name}
            tall
            actions={
              mayManage ? (
                <EditAndDelete
                  name={chain.name}
                  onEdit={() => openRecord(chain.id)}
                  onDelete={() => setRemoving(chain)}
                />
              ) : null
            }
          >
            {chain.steps.map(({ after_minutes }, index) => (
              <div key={after_minutes}>
                {afterLabel(after_minutes)}: <bdi>{chain.step_names[index]?.join(', ')}</bdi>
              </div>
            ))}
            <RowDetail>{describeUse(chain)}</RowDetail>
          </ListRow>
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveDialog
          title="Delete this escalation chain?"
          message={
            <Text>
              <bdi>{removing.name}</bdi> notifies nobody any more, also not of alerts that are open now.
            </Text>
          }
          remove={() => call(deleteEscalationChain, { params: { id: removing.id } })}
          done="Escalation chain deleted."
          stale={chainsQuery.queryKey}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}

function describeUse({ repeat_minutes, repeat_times, used_by }: EscalationChain): string {
  const repeats =
    repeat_minutes > 0 && repeat_times > 0
      ? [`repeats the last step every ${repeat_minutes} min, ${repeat_times} times`]
      : []
  const use = used_by.length === 0 ? 'not used by an alert template' : `used by ${used_by.join(', ')}`
  const text = [...repeats, use].join(' · ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
