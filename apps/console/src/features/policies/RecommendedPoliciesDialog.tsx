import { Button } from '@mantine/core'
import type { Policy, PolicyDocument } from '@muster/contract/api/policies'
import type { PolicyCheck } from '@muster/contract/policies/policy-content'
import { RECOMMENDED_POLICIES } from '@muster/contract/policies/recommended-policies'
import { nameCheck } from '@muster/rules/checks/check-name'
import { formatDuration } from '@muster/rules/text/units'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { Section } from '../../ui/layout/Section.tsx'
import { PlanDialog } from './PlanDialog.tsx'
import { policiesQuery } from './policies-query.ts'
import classes from './Policies.module.css'

const TITLE = 'Recommended policies'

/** Policies to start with. Each is saved only after its plan was shown, and can be edited afterwards. */
export function RecommendedPoliciesDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_manage_automation_policies" size="lg" onClose={close}>
      <Recommended close={close} />
    </GuardedDialog>
  )
}

function Recommended({ close }: { close: () => void }) {
  const [chosen, setChosen] = useState<PolicyDocument>()
  const { data: policies, error, refetch } = useQuery(policiesQuery)
  return (
    <>
      <Dialog
        title={TITLE}
        size="lg"
        onClose={close}
        footer={
          <Button variant="default" onClick={close}>
            Close
          </Button>
        }
      >
        {policies === undefined ? (
          <LoadingState error={error} onRetry={() => void refetch()} rows={6} />
        ) : (
          <>
            <p className={classes.lead}>
              Ordinary policies, to edit later. You see the effect before saving.
            </p>
            <div className={classes.choices}>
              {Object.values(RECOMMENDED_POLICIES).map((document) => (
                <Choice
                  key={document.name}
                  document={document}
                  existing={policies.find(({ name }) => name === document.name)}
                  onChoose={() => setChosen(document)}
                />
              ))}
            </div>
          </>
        )}
      </Dialog>
      {chosen !== undefined && (
        <PlanDialog
          title={`Create the policy ${chosen.name}?`}
          document={chosen}
          done="Policy created. Machines are updated within seconds."
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  )
}

interface ChoiceProps {
  document: PolicyDocument
  /** A policy of this name. */
  existing: Policy | undefined
  onChoose: () => void
}

function Choice({ document: { name, desc, content }, existing, onChoose }: ChoiceProps) {
  const { overdue_time } = content.agent_settings
  return (
    <div className={classes.choice}>
      <Section title={name}>
        <p className={classes.lead}>{desc}</p>
        <ul className={classes.points}>
          {content.checks.map((check) => (
            <li key={check.settings.check_type}>{explainCheck(check)}</li>
          ))}
          {overdue_time !== null && <li>Alert when overdue for {formatDuration(overdue_time * 60)}</li>}
        </ul>
        {existing === undefined ? (
          <Button onClick={onChoose} aria-label={`Review and create ${name}`}>
            Review and create
          </Button>
        ) : (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to="/policies/$policy_id" params={{ policy_id: `${existing.id}` }} />
            )}
          >
            Open policy
          </Button>
        )}
      </Section>
    </div>
  )
}

/** "CPU load: warns above 80 %, fails above 95 %, after 5 runs in a row". */
function explainCheck({ settings, fails_b4_alert }: PolicyCheck): string {
  const name = nameCheck({ settings, script_name: null })
  if (!('warning_threshold' in settings)) return name
  const { warning_threshold: warning, error_threshold: error } = settings
  const runs = fails_b4_alert === 1 ? '' : `, after ${fails_b4_alert} runs in a row`
  if (settings.check_type === 'diskspace')
    return `${name}: warns below ${warning}\u00A0%, fails below ${error}\u00A0%${runs}`
  return `${name}: warns above ${warning}\u00A0%, fails above ${error}\u00A0%${runs}`
}
