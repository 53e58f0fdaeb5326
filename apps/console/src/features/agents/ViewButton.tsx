import { Button } from '@mantine/core'
import { IconChevronDown, IconLayoutList } from '@tabler/icons-react'
import { type ComponentProps, Suspense, useState } from 'react'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { useDashboard } from '../dashboard/use-dashboard.ts'
import classes from './ViewMenu.module.css'
import type { ViewMenu as Menu } from './ViewMenu.tsx'

const ViewMenu = lazyPart(() => import('./ViewMenu.tsx').then((file) => file.ViewMenu))

/** The menu of views, which is loaded with its first use or with a view of the address. */
export function ViewButton(props: Omit<ComponentProps<typeof Menu>, 'isOpened'>) {
  const [isWanted, setIsWanted] = useState(false)
  const address = useDashboard(({ view }) => view)
  const button = (
    <Button
      variant="default"
      className={classes.button ?? ''}
      leftSection={<IconLayoutList size={16} stroke={1.75} aria-hidden />}
      rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
      aria-label="View: default"
      aria-haspopup="menu"
      onClick={() => setIsWanted(true)}
    >
      <span className="cut">View</span>
    </Button>
  )
  if (!isWanted && address === undefined) return button
  return (
    <Suspense fallback={button}>
      <ViewMenu {...props} isOpened={isWanted} />
    </Suspense>
  )
}
