import { Button } from '@mantine/core'
import {
  listPolicyVersions,
  type Policy,
  type PolicyDocument,
  type PolicyVersion,
} from '@muster/contract/api/policies'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { AuditDiff } from '../audit/AuditDiff.tsx'
import { Section } from '../../ui/layout/Section.tsx'
import classes from './Policies.module.css'
import { documentOf } from './policy-draft.ts'

interface PolicyHistoryProps {
  policy: Policy
  /** Absent where reverting is not allowed now. */
  onRevert?: (saving: { document: PolicyDocument; reason: string }) => void
}

/** The versions of the policy, their changes, and the way to revert. */
export function PolicyHistory({ policy, onRevert }: PolicyHistoryProps) {
  const { data, error, refetch } = useQuery(query(listPolicyVersions, { params: { id: policy.id } }))
  const [shown, setShown] = useState<number>()
  if (data === undefined) return <LoadingState error={error} onRetry={() => void refetch()} />
  const open = data.find(({ version }) => version === shown)
  const before = data.find(({ version }) => version === (shown ?? 0) - 1)
  return (
    <Section title="History">
      <ul className="plain-list" aria-label="Versions of the policy">
        {data.map((one) => (
          <li key={one.version} className={classes.line}>
            <div className={classes.lineText}>
              <p>
                Version {one.version}
                {one.version === policy.version && <span className={classes.chip}>current</span>}
              </p>
              <p className="dim small">
                <bdi>{one.by}</bdi>, <Time instant={one.at} />
                {one.reason !== '' && (
                  <>
                    {': '}
                    <bdi>{one.reason}</bdi>
                  </>
                )}
              </p>
            </div>
            <Button variant="default" size="compact-sm" onClick={() => setShown(one.version)}>
              Show changes
            </Button>
            {onRevert !== undefined && one.version !== policy.version && (
              <Button
                variant="default"
                size="compact-sm"
                onClick={() =>
                  onRevert({
                    document: documentOf(one.policy),
                    reason: `Reverted to version ${one.version}`,
                  })
                }
              >
                Revert to this version
              </Button>
            )}
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <VersionDialog open={open} before={before} onClose={() => setShown(undefined)} />
      )}
    </Section>
  )
}

interface VersionDialogProps {
  open: PolicyVersion
  /** Absent for the first version. */
  before: PolicyVersion | undefined
  onClose: () => void
}

function VersionDialog({ open, before, onClose }: VersionDialogProps) {
  return (
    <Dialog title={`Version ${open.version}`} size="xl" onClose={onClose}>
      <AuditDiff before={before?.policy} after={open.policy} />
    </Dialog>
  )
}
