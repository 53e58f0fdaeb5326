import { Button } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { makeVisible } from '@muster/rules/visible-text'
import { describeError } from '../../app/describe-error.ts'
import classes from './Registry.module.css'
import { useRegistryKey } from './use-registry-key.ts'

interface KeyTreeProps {
  agentId: string
  /** The key that is shown. */
  selected: string
  onSelect: (path: string) => void
}

/** The keys of a registry, each asked for when it is opened. */
export function KeyTree(props: KeyTreeProps) {
  return (
    <nav aria-label="Keys" className={classes.tree}>
      <KeyList {...props} path="" />
    </nav>
  )
}

function KeyList({ path, ...props }: KeyTreeProps & { path: string }) {
  const { query, subkeys } = useRegistryKey({ agentId: props.agentId, path, enabled: true })
  if (query.error !== null && subkeys.length === 0)
    return <p className={classes.problem}>{describeError(query.error).message}</p>
  return (
    <ul className={classes.keys}>
      {subkeys.map(({ name, has_subkeys }) => (
        <KeyNode
          key={name}
          {...props}
          path={path === '' ? name : `${path}\\${name}`}
          name={name}
          hasSubkeys={has_subkeys}
        />
      ))}
      {query.hasNextPage && (
        <li>
          <Button
            size="compact-xs"
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            More keys
          </Button>
        </li>
      )}
    </ul>
  )
}

interface KeyNodeProps extends KeyTreeProps {
  path: string
  name: string
  hasSubkeys: boolean
}

function KeyNode({ path, name, hasSubkeys, ...props }: KeyNodeProps) {
  const leads = props.selected.toLowerCase().startsWith(`${path.toLowerCase()}\\`)
  const [wanted, setWanted] = useState<boolean>()
  const isOpen = hasSubkeys && (wanted ?? leads)
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  return (
    <li>
      <div className={classes.node}>
        {hasSubkeys ? (
          <button
            type="button"
            className={classes.toggle}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Close' : 'Open'} ${makeVisible(name)}`}
            onClick={() => setWanted(!isOpen)}
          >
            <Icon size={14} aria-hidden />
          </button>
        ) : (
          <span className={classes.toggle} />
        )}
        <button
          type="button"
          className={classes.key}
          aria-current={props.selected.toLowerCase() === path.toLowerCase() || undefined}
          onClick={() => props.onSelect(path)}
          onDoubleClick={() => setWanted(!isOpen)}
        >
          <bdi>{makeVisible(name)}</bdi>
        </button>
      </div>
      {isOpen && <KeyList {...props} path={path} />}
    </li>
  )
}
