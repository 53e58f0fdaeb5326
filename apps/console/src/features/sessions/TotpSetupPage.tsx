import { MessagePage } from '../../app/MessagePage.tsx'

export function TotpSetupPage() {
  return <MessagePage title="">{null}</MessagePage>
}
