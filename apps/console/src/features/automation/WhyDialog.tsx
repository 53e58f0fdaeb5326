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

/** Where a check of a machine, or its alert template, comes from: `AGENTID.12`, `AGENTID.alert_template`. */
export function WhyDialog({ item = '', close }: AddressedDialogProps) {
  const [agentId = '', asked = ''] = item.split('.')
  return (
    <GuardedDialog title={TITLE} needs="can_list_automation_policies" onClose={close}>
      <Why agentId={agentId} asked={asked} close={close} />
    </GuardedDialog>
  )
}

function Why({ agentId, asked, close }: { agentId: string; asked: string; close: () => void }) {
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
        <Answer policy={data} checkId={Number(asked)} />
      )}
      <h3 className={classes.sectionTitle}>Policies of {data.hostname}, from the nearest to the furthest</h3>
      <ChainList policy={data} />
    </Dialog>
  )
}

function TemplateAnswer({ policy }: { policy: EffectivePolicy }) {
  const found = policy.items.find(({ kind }) => kind === 'alert_template')
  if (found === undefined) {
    return <p className={classes.lead}>No alert template counts for {policy.hostname}.</p>
  }
  return (
    <div className={classes.lead}>
      <ItemWords item={found} />
    </div>
  )
}

/** A check that rests is told by what stands before it. */
function Answer({ policy, checkId }: { policy: EffectivePolicy; checkId: number }) {
  const found = policy.items.find(
    ({ check_id, overrode }) => check_id === checkId || overrode.some((loser) => loser.check_id === checkId),
  )
  return found === undefined ? (
    <p className={classes.lead}>{policy.hostname} has this check of its own, and no policy has the same.</p>
  ) : (
    <div className={classes.lead}>
      <ItemWords item={found} />
    </div>
  )
}
