import { getEffectivePolicy } from '@muster/contract/api/automation'
import type { EffectivePolicy } from '@muster/contract/policies/effective-policy'
import { useQuery } from '@tanstack/react-query'
import { GuardedDialog, StateDialog } from '../../app/GuardedDialog.tsx'
import { query } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ChainList } from './ChainList.tsx'
import { ItemWords } from './ItemList.tsx'
import classes from './Policies.module.css'

const TITLE = 'Why does this machine have this?'

type Noun = 'check' | 'task'

/** Where a check of a machine comes from. The address names both: `AGENTID.12`. */
export function WhyCheckDialog(props: AddressedDialogProps) {
  return <WhyDialog {...props} noun="check" />
}

/** The same of a task. */
export function WhyTaskDialog(props: AddressedDialogProps) {
  return <WhyDialog {...props} noun="task" />
}

function WhyDialog({ item = '', close, noun }: AddressedDialogProps & { noun: Noun }) {
  const [agentId = '', id = ''] = item.split('.')
  return (
    <GuardedDialog title={TITLE} needs="can_list_automation_policies" onClose={close}>
      <Why agentId={agentId} noun={noun} id={Number(id)} close={close} />
    </GuardedDialog>
  )
}

interface WhyProps {
  agentId: string
  noun: Noun
  id: number
  close: () => void
}

function Why({ agentId, noun, id, close }: WhyProps) {
  const options = query(getEffectivePolicy, { params: { agent_id: agentId } })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0 })
  if (data === undefined) {
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  return (
    <Dialog title={TITLE} onClose={close} size="md">
      <Answer policy={data} noun={noun} id={id} />
      <h3 className={classes.sectionTitle}>Policies of {data.hostname}, from the nearest to the furthest</h3>
      <ChainList policy={data} />
    </Dialog>
  )
}

/** What rests is told by what stands before it. */
function Answer({ policy, noun, id }: { policy: EffectivePolicy; noun: Noun; id: number }) {
  const isMeant = (one: { check_id: number | null; task_id: number | null }) =>
    (noun === 'check' ? one.check_id : one.task_id) === id
  const found = policy.items.find((item) => isMeant(item) || item.overrode.some(isMeant))
  return found === undefined ? (
    <p className={classes.lead}>
      {policy.hostname} has this {noun} of its own, and no policy has the same.
    </p>
  ) : (
    <div className={classes.lead}>
      <ItemWords item={found} />
    </div>
  )
}
