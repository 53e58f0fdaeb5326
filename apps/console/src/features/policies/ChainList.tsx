import type { EffectivePolicy } from '@muster/contract/policies/effective-policy'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import classes from './Policies.module.css'
import { describeLink, describeOutcome } from './policy-words.ts'

/** The policies assigned to a machine at any level, including those that do not apply, with the reason. */
export function ChainList({ policy: { chain, hostname } }: { policy: EffectivePolicy }) {
  if (chain.length === 0) {
    return <p className="dim small">No policy is assigned to {hostname} or anything above it.</p>
  }
  return (
    <ol className="plain-list" aria-label="Policies of the machine">
      {chain.map((link, index) => {
        const why = describeOutcome(link)
        const Icon = why === undefined ? IconCircleCheck : IconCircleX
        return (
          <li key={index} className={`${classes.line} ${why === undefined ? '' : 'dim'}`}>
            <Icon
              size={16}
              stroke={1.75}
              role="img"
              aria-label={why === undefined ? 'applies' : 'does not apply'}
            />
            <div className={classes.lineText}>
              <p>
                <Link
                  className={classes.link ?? ''}
                  to="/policies/$policy_id"
                  params={{ policy_id: `${link.policy}` }}
                >
                  <bdi>{link.policy_name}</bdi>
                </Link>
                {link.enforced && <span className={classes.chip}>enforced</span>}
              </p>
              <p className="dim small">
                Assigned to {describeLink(link)}. {why}
              </p>
            </div>
          </li>
        )
      })}
    </ol>
  )
}
