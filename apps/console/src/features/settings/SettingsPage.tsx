import { useMediaQuery } from '@mantine/hooks'
import type { Me } from '@muster/contract/api/users'
import { IconChevronLeft } from '@tabler/icons-react'
import { Link, Navigate, useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useMe } from '../../app/api/queries.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import { EmptyState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { findSection, isVisible, visibleSections } from './settings-sections.ts'
import { visibleLists } from './settings-lists.ts'
import { SettingsNav } from './SettingsNav.tsx'
import classes from './SettingsPage.module.css'

/** All settings: a list of sections beside the open one. In a narrow window, either of them. */
export function SettingsPage() {
  const { section: name } = useParams({ strict: false })
  const section = name === undefined ? undefined : findSection(name)
  usePageTitle(section === undefined ? 'Settings' : `${section.title} | Settings`)
  const isNarrow = useMediaQuery('(max-width: 900px)', undefined, { getInitialValueInEffect: false })
  const me = useMe()
  if (me === undefined) return <SkeletonRows />
  const sections = visibleSections(me)
  const [first] = sections
  if (name === undefined && !isNarrow && first !== undefined) {
    return <Navigate to="/settings/$section" params={{ section: first.name }} replace />
  }
  return (
    <div className={classes.page}>
      {(!isNarrow || name === undefined) && (
        <div className={classes.side}>
          <h1 className="page-title">Settings</h1>
          <SettingsNav sections={sections} lists={visibleLists(me)} open={name} />
        </div>
      )}
      {name !== undefined && (
        <div className={classes.main}>
          {isNarrow && (
            <Link to="/settings" className={classes.back}>
              <IconChevronLeft size={16} stroke={1.75} aria-hidden />
              Back to settings
            </Link>
          )}
          <OpenSection name={name} me={me} />
        </div>
      )}
    </div>
  )
}

function OpenSection({ name, me }: { name: string; me: Me }) {
  const section = findSection(name)
  if (section === undefined) {
    return (
      <EmptyState message="No such section of the settings.">
        <Link to="/settings">Show all settings</Link>
      </EmptyState>
    )
  }
  if (!isVisible(section, me)) return <NoPermission />
  return (
    <Suspense fallback={<SkeletonRows />}>
      <section.Part key={name} />
    </Suspense>
  )
}
