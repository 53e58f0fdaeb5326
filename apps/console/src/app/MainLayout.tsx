import { Outlet } from '@tanstack/react-router'

export function MainLayout() {
  return <Outlet />
}
