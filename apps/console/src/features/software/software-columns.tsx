import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import list from '../../ui/layout/ListPane.module.css'
import { type PackageRow, sizeLabel, SOURCE_LABELS } from './software-rows.ts'

export const PACKAGE_COLUMNS: readonly DataColumn<PackageRow>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(180px, 1.4fr)',
    sortable: true,
    render: ({ name, uninstall }) => (
      <bdi data-tip={uninstall === null ? undefined : `Removed by: ${uninstall}`}>{name}</bdi>
    ),
  },
  {
    id: 'version',
    title: 'Version',
    width: 'minmax(120px, 1fr)',
    sortable: true,
    render: ({ version }) => <bdi>{version}</bdi>,
    watch: ({ version }) => version,
  },
  {
    id: 'publisher',
    title: 'Publisher',
    width: 'minmax(140px, 1.2fr)',
    sortable: true,
    render: ({ publisher }) => <bdi>{publisher}</bdi>,
  },
  {
    id: 'size',
    title: 'Size',
    width: '96px',
    numeric: true,
    sortable: true,
    render: (row) => sizeLabel(row),
  },
  {
    id: 'installed',
    title: 'Installed on',
    width: '110px',
    sortable: true,
    render: ({ install_date }) => install_date,
  },
  {
    id: 'source',
    title: 'Source',
    width: '104px',
    sortable: true,
    render: ({ source }) => SOURCE_LABELS[source],
  },
]

export const PACKAGE_COLUMNS_PX = 800

export const PACKAGE_CARD: DataCard<PackageRow, undefined> = {
  height: 61,
  render: (row) => (
    <>
      <div className="cardLine">
        <bdi className="cut">{row.name}</bdi>
        <bdi className="cut">{row.version}</bdi>
      </div>
      <div className={`cardLine ${list.dim}`}>
        <bdi className="cut">{row.publisher}</bdi>
        <span>{sizeLabel(row)}</span>
      </div>
    </>
  ),
}
