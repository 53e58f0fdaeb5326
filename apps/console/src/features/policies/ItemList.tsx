import type { EffectiveItem } from '@muster/contract/policies/effective-policy'
import type { ReactNode } from 'react'
import classes from './Policies.module.css'
import { describeSource, LOST_WORDS } from './policy-words.ts'

interface ItemListProps {
  items: readonly EffectiveItem[]
  empty: string
  actionOf?: (item: EffectiveItem) => ReactNode
}

/** Items of a machine, each with its origin and the items that it overrides. */
export function ItemList({ items, empty, actionOf }: ItemListProps) {
  if (items.length === 0) return <p className="dim small">{empty}</p>
  return (
    <ul className="plain-list">
      {items.map((item) => (
        <li key={`${item.kind} ${item.key}`} className={classes.line}>
          <ItemWords item={item} />
          {actionOf?.(item)}
        </li>
      ))}
    </ul>
  )
}

export function ItemWords({ item: { what, source, overrode } }: { item: EffectiveItem }) {
  return (
    <div className={classes.lineText}>
      <p>
        <bdi>{what}</bdi>
      </p>
      <p className="dim small">
        From <bdi>{describeSource(source)}</bdi>.
      </p>
      {overrode.map((loser, index) => (
        <p key={index} className="dim small">
          Instead of <bdi>{loser.what}</bdi> from <bdi>{describeSource(loser.source)}</bdi>.{' '}
          {LOST_WORDS[loser.lost]}
        </p>
      ))}
    </div>
  )
}
