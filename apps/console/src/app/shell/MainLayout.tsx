import { useDocumentTitle } from '@mantine/hooks'
import { DEFAULT_DATE_FORMAT, VERSION_CHECK_MS } from '@muster/rules/text/layout'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { type ComponentType, createElement, type LazyExoticComponent, Suspense } from 'react'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { dashInfoQuery } from '../api/queries.ts'
import { DIALOGS } from '../register.ts'
import { type AddressedDialogProps, type DialogName, useDialog } from '../dialogs/use-dialog.ts'
import { Banners } from './Banners.tsx'
import { Header } from './Header.tsx'
import classes from './MainLayout.module.css'
import { MenuBar } from './MenuBar.tsx'
import { PaletteHost } from './PaletteHost.tsx'
import { useUserLook } from './look.ts'
import { lazyPart } from './lazy-part.ts'

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

const frame = getRouteApi('/signed-in/gated/frame')

/** Draws the dialog named by the address, over the open page. */
function DialogHost() {
  const { dialog, item } = frame.useSearch()
  const { close } = useDialog()
  if (!isDialogName(dialog)) return null
  return (
    <Suspense fallback={null}>
      {createElement(dialogComponent(dialog), { key: `${dialog} ${item}`, item, close })}
    </Suspense>
  )
}

function isDialogName(name: string | undefined): name is DialogName {
  return name !== undefined && Object.hasOwn(DIALOGS, name)
}

type LazyDialog = LazyExoticComponent<ComponentType<AddressedDialogProps>>

function dialogComponent(name: DialogName): LazyDialog {
  const known = components.get(name)
  if (known) return known
  const component = lazyPart<AddressedDialogProps>(DIALOGS[name])
  components.set(name, component)
  return component
}

const components = new Map<DialogName, LazyDialog>()
