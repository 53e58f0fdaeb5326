import { getEffectivePolicy } from '@muster/contract/api/policies'
import type { EffectivePolicy } from '@muster/contract/policies/effective-policy'
import { useQuery } from '@tanstack/react-query'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { ChainList } from './ChainList.tsx'
import { ItemWords } from './ItemList.tsx'
import classes from './Policies.module.css'

const TITLE = 'Why does this machine have this?'

type Noun = 'check' | 'task'

/** The origin of a machine's check or alert template: `AGENTID.12`, `AGENTID.alert_template`. */
export function WhyCheckDialog(props: AddressedDialogProps) {
  return <WhyDialog {...props} noun="check" />
}

/** The same for a task. */
export function WhyTaskDialog(props: AddressedDialogProps) {
  return <WhyDialog {...props} noun="task" />
}

function WhyDialog({ item = '', close, noun }: AddressedDialogProps & { noun: Noun }) {
  const [agentId = '', asked = ''] = item.split('.')
  return (
    <GuardedDialog title={TITLE} needs="can_list_automation_policies" onClose={close}>
      <Why agentId={agentId} noun={noun} asked={asked} close={close} />
    </GuardedDialog>
  )
}

interface WhyProps {
  agentId: string
  noun: Noun
  asked: string
  close: () => void
}

function Why({ agentId, noun, asked, close }: WhyProps) {
  const options = query(getEffectivePolicy, { params: { agent_id: agentId } })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0 })
  if (data === undefined) {
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  return (
    <Dialog title={TITLE} onClose={close} size="md">
      {asked === 'alert_template' ? (
        <TemplateAnswer policy={data} />
      ) : (
        <Answer policy={data} noun={noun} id={Number(asked)} />
      )}
      <h3 className={classes.sectionTitle}>Policies of {data.hostname}, highest priority first</h3>
      <ChainList policy={data} />
    </Dialog>
  )
}

function TemplateAnswer({ policy }: { policy: EffectivePolicy }) {
  const found = policy.items.find(({ kind }) => kind === 'alert_template')
  if (found === undefined) {
    return <p className={classes.lead}>No alert template applies to {policy.hostname}.</p>
  }
  return (
    <div className={classes.lead}>
      <ItemWords item={found} />
    </div>
  )
}

/** An overridden item is described by the one that overrides it. */
function Answer({ policy, noun, id }: { policy: EffectivePolicy; noun: Noun; id: number }) {
  const isMeant = (one: { check_id: number | null; task_id: number | null }) =>
    (noun === 'check' ? one.check_id : one.task_id) === id
  const found = policy.items.find((item) => isMeant(item) || item.overrode.some(isMeant))
  return found === undefined ? (
    <p className={classes.lead}>
      {policy.hostname} has this {noun} of its own. No policy overrides it.
    </p>
  ) : (
    <div className={classes.lead}>
      <ItemWords item={found} />
    </div>
  )
}
