import { MessagePage } from '../../app/MessagePage.tsx'

export function InitialSetupPage() {
  return <MessagePage title="">{null}</MessagePage>
}
