import { useDocumentTitle } from '@mantine/hooks'
import { DEFAULT_DATE_FORMAT, VERSION_CHECK_MS } from '@muster/rules/text/layout'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { Banners } from './Banners.tsx'
import { DialogHost } from '../dialogs/DialogHost.tsx'
import { Header } from './Header.tsx'
import classes from './MainLayout.module.css'
import { MenuBar } from './MenuBar.tsx'
import { PaletteHost } from './PaletteHost.tsx'
import { useUserLook } from './look.ts'
import { dashInfoQuery } from '../api/queries.ts'

/** The frame: header, menu bar, banners and the screen itself. */
export function MainLayout() {
  const { data: info } = useQuery({
    ...dashInfoQuery,
    refetchInterval: VERSION_CHECK_MS,
    meta: { quiet: true },
  })
  useUserLook(info)
  useDocumentTitle('Muster')
  const format = info?.date_format || info?.default_date_format || DEFAULT_DATE_FORMAT
  return (
    <DateFormat value={format}>
      <div className={classes.frame}>
        <Header />
        <MenuBar />
        <Banners />
        <main className={classes.main}>
          <Outlet />
        </main>
      </div>
      <DialogHost />
      <PaletteHost />
    </DateFormat>
  )
}
