import { Button, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { useMay } from '../../app/api/queries.ts'
import type { SoftwareSearch } from '../../app/search.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import list from '../../ui/layout/ListPane.module.css'
import classes from './Software.module.css'
import { TitleMachines } from './TitleMachines.tsx'
import { TitleTable } from './TitleTable.tsx'
import { useTitles } from './use-titles.ts'

const TYPING_MS = 150
const FORBIDDEN = 'Your role does not allow you to see the software of machines.'

/** What is installed on all machines that this user sees; a chosen package tells which have it. */
export function SoftwarePage() {
  const may = useMay('can_list_software')
  const { search = '', title, sort = 'name' } = useSearch({ from: '/signed-in/gated/frame/software' })
  const navigate = useNavigate()
  const [asked] = useDebouncedValue(search, TYPING_MS)
  const titles = useTitles({ search: asked, sort }, may)
  const show = (change: Partial<SoftwareSearch>) =>
    void navigate({
      to: '.',
      search: (old) => ({ ...old, ...change }),
      replace: true,
      resetScroll: false,
    })
  return (
    <div className={list.pane}>
      <header className={classes.head}>
        <h1 className={classes.title}>Software</h1>
      </header>
      {may ? (
        <>
          <div className={list.tools}>
            <TextInput
              className={list.search ?? ''}
              aria-label="Search the software of all machines"
              placeholder="Name or publisher"
              leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
              value={search}
              onChange={({ currentTarget }) => show({ search: currentTarget.value || undefined })}
              autoComplete="off"
              autoFocus
            />
            <span className={list.sums} role="status">
              {titles.total !== undefined && `${titles.total} ${titles.total === 1 ? 'package' : 'packages'}`}
            </span>
          </div>
          <div className={classes.halves} data-open={title !== undefined || undefined}>
            <div className={classes.list}>{renderList()}</div>
            {title !== undefined && (
              <TitleMachines key={title} title={title} onClose={() => show({ title: undefined })} />
            )}
          </div>
        </>
      ) : (
        <NoPermission message={FORBIDDEN} />
      )}
    </div>
  )

  function renderList() {
    const { rows, error, retry, more } = titles
    if (rows === undefined) {
      if (error === null) return <SkeletonRows rows={10} />
      if (isRefused(error)) return <NoPermission message={FORBIDDEN} />
      return <ErrorState {...describeError(error)} onRetry={retry} />
    }
    if (rows.length === 0 && asked === '')
      return (
        <EmptyState message="No machine has told yet what is installed on it. Machines do so within a minute of their start." />
      )
    return (
      <>
        <TitleTable
          rows={rows}
          sort={sort}
          onSort={() => show({ sort: sort === 'name' ? '-name' : undefined })}
          selected={title}
          onSelect={(next) => show({ title: next })}
          asCards={title !== undefined}
          scrollKey={`${asked} ${sort}`}
          empty={
            <EmptyState message={`No package is called by all words of "${asked}".`}>
              <Button variant="default" onClick={() => show({ search: undefined })}>
                Clear search
              </Button>
            </EmptyState>
          }
        />
        {more !== undefined && (
          <div className={classes.more}>
            <Button variant="subtle" loading={more.busy} onClick={more.load}>
              Show more
            </Button>
          </div>
        )}
      </>
    )
  }
}
