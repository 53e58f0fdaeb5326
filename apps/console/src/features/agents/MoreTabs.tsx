import { Button, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { type RefCallback, useCallback, useState } from 'react'
import type { Pane } from '../../app/search.ts'
import classes from './AgentPanes.module.css'

/** The tabs that do not fit into their list, in their order; the list can still be scrolled to them. */
export function useTabsOut(panes: readonly Pane[]): { ref: RefCallback<HTMLElement>; out: readonly Pane[] } {
  const [outside, setOutside] = useState<ReadonlySet<string>>(new Set())
  const count = panes.length
  const ref = useCallback(
    (list: HTMLElement | null) => {
      if (list === null) return undefined
      const watch = new IntersectionObserver(
        (entries) =>
          setOutside((before) => {
            const after = new Set(before)
            for (const { target, intersectionRatio } of entries) {
              const name = target.getAttribute('data-pane') ?? ''
              if (intersectionRatio < WHOLE) after.add(name)
              else after.delete(name)
            }
            return after
          }),
        { root: list, threshold: [0, WHOLE] },
      )
      for (const tab of list.querySelectorAll('[data-pane]')) watch.observe(tab)
      return () => watch.disconnect()
    },
    // oxlint-disable-next-line react/exhaustive-deps -- Another number of tabs is observed again.
    [count],
  )
  return { ref, out: panes.filter((pane) => outside.has(pane)) }
}

/** A tab is inside when at least this much of it is; positions between two pixels are no reason to hide one. */
const WHOLE = 0.97

interface MoreTabsProps {
  out: readonly Pane[]
  labels: Record<Pane, string>
  onChoose: (pane: Pane) => void
}

/** `More (3)`: the tabs that do not fit. A phone scrolls them sideways instead. */
export function MoreTabs({ out, labels, onChoose }: MoreTabsProps) {
  if (out.length === 0) return null
  return (
    <div className={classes.more}>
      <Menu position="bottom-end" withinPortal={false} floatingStrategy="fixed">
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
          >
            More ({out.length})
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {out.map((pane) => (
            <Menu.Item key={pane} onClick={() => onChoose(pane)}>
              {labels[pane]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
