import { Button, Checkbox, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { findSoftware, MAX_TITLES, type SoftwareTitle } from '@muster/contract/api/software'
import type { ReactNode } from 'react'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import type { SoftwareSearch } from '../../app/search.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import list from '../../ui/layout/ListPane.module.css'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { usePages } from '../../app/api/use-pages.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from '../../ui/layout/ListAndDetail.module.css'
import { TitleMachines } from './TitleMachines.tsx'
import { SOURCE_LABELS } from './software-rows.ts'

const TYPING_MS = 150
const FORBIDDEN = 'Your role does not allow you to see the software of machines.'

/** Software of all visible machines; a selected package shows its machines. */
export function SoftwarePage() {
  usePageTitle('Software')
  const may = useMay('can_list_software')
  const { search = '', title, sort = 'name', only } = useSearch({ from: '/signed-in/gated/frame/software' })
  const outdated = only === 'outdated'
  const navigate = useNavigate()
  const { open } = useDialog()
  const [asked] = useDebouncedValue(search, TYPING_MS)
  const titles = useTitles({ search: asked, sort, upgradable: outdated ? 'true' : 'false' }, may)
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
        <h1 className="page-title">Software</h1>
        {may && (
          <Button variant="default" ml="auto" onClick={() => open('package-files')}>
            Package files
          </Button>
        )}
      </header>
      {may ? (
        <>
          <div className={list.tools}>
            <TextInput
              className={list.search ?? ''}
              aria-label="Search software of all machines"
              placeholder="Name or publisher"
              leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
              value={search}
              onChange={({ currentTarget }) => show({ search: currentTarget.value || undefined })}
              autoComplete="off"
              autoFocus
            />
            <Checkbox
              label="Outdated only"
              checked={outdated}
              onChange={({ currentTarget }) => show({ only: currentTarget.checked ? 'outdated' : undefined })}
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
    if (rows.length === 0 && outdated && asked === '')
      return <EmptyState message="No machine reports a newer version of its packages." />
    if (rows.length === 0 && asked === '')
      return (
        <EmptyState message="No software reported yet. Machines report within a minute of their start." />
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
            <EmptyState message={`No packages match "${asked}".`}>
              <Button variant="default" onClick={() => show({ search: undefined })}>
                Clear search
              </Button>
            </EmptyState>
          }
        />
        {more !== undefined && (
          <div className="list-end">
            <Button variant="subtle" loading={more.busy} onClick={more.load}>
              Show more
            </Button>
          </div>
        )}
      </>
    )
  }
}

function useTitles(
  view: { search: string; sort: 'name' | '-name'; upgradable: 'true' | 'false' },
  enabled: boolean,
) {
  const request = { ...view, page_size: MAX_TITLES }
  return usePages(
    queryKey(findSoftware, { query: request }),
    (page, signal) => call(findSoftware, { query: { ...request, page } }, { signal }),
    { enabled },
  )
}

/** Versions per row; the tooltip has all. */
const VERSIONS_SHOWN = 3

const COLUMNS: readonly DataColumn<SoftwareTitle>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(180px, 1.4fr)',
    sortable: true,
    render: ({ name }) => <bdi>{name}</bdi>,
  },
  {
    id: 'machines',
    title: 'Machines',
    width: '90px',
    numeric: true,
    render: ({ machines }) => machines,
    watch: ({ machines }) => machines,
  },
  {
    id: 'upgradable',
    title: 'Outdated',
    width: '90px',
    numeric: true,
    render: ({ upgradable }) => (upgradable === 0 ? '' : upgradable),
    watch: ({ upgradable }) => upgradable,
  },
  {
    id: 'versions',
    title: 'Versions',
    width: 'minmax(200px, 1.6fr)',
    render: ({ versions }) => (
      <bdi data-tip={versions.map(versionLabel).join('\n')}>{versionsLabel(versions)}</bdi>
    ),
  },
  {
    id: 'publisher',
    title: 'Publisher',
    width: 'minmax(140px, 1.2fr)',
    render: ({ publisher }) => <bdi>{publisher}</bdi>,
  },
  { id: 'source', title: 'Source', width: '104px', render: ({ source }) => SOURCE_LABELS[source] },
]
const COLUMNS_PX = 850

const CARD: DataCard<SoftwareTitle, undefined> = {
  height: 61,
  render: ({ name, machines, upgradable, versions }) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{name}</bdi>
        <span>
          {machines === 1 ? '1 machine' : `${machines} machines`}
          {upgradable > 0 && `, ${upgradable} outdated`}
        </span>
      </div>
      <div className="cardLine dim">
        <bdi className="cut">{versionsLabel(versions)}</bdi>
      </div>
    </>
  ),
}

interface TitleTableProps {
  rows: readonly SoftwareTitle[]
  sort: 'name' | '-name'
  onSort: () => void
  selected: string | undefined
  onSelect: (title: string | undefined) => void
  /** The machines of a package take half of the height. */
  asCards: boolean
  scrollKey: string
  empty: ReactNode
}

function TitleTable({ rows, sort, onSort, selected, onSelect, asCards, ...rest }: TitleTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  return (
    <DataTable
      label="Software of all machines"
      rows={rows}
      rowKey={({ title }) => title}
      columns={COLUMNS}
      context={undefined}
      rowHeight={28}
      minWidth={COLUMNS_PX}
      sort={{ column: 'name', descending: sort === '-name' }}
      onSort={onSort}
      selected={selected}
      onSelect={(row) => onSelect(row?.title)}
      card={hasCards || asCards ? CARD : undefined}
      {...rest}
    />
  )
}

type Versions = SoftwareTitle['versions']

const versionLabel = ({ version, machines }: Versions[number]) => `${version || 'unknown'} (${machines})`

function versionsLabel(versions: Versions): string {
  const shown = versions.slice(0, VERSIONS_SHOWN).map(versionLabel).join(', ')
  const rest = versions.length - VERSIONS_SHOWN
  return rest > 0 ? `${shown}, ${rest} more` : shown
}
