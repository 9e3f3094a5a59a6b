import {
  accountDataAction,
  accountDetailsAction,
  accountDevicesAction,
  accountPasswordAction,
  forgotPasswordAction,
  loginAction,
  registerAction,
  resetPasswordAction,
} from '#server/accounts/pages.ts'

import { contactAction } from '#server/contact/pages.ts'
import { findOrderAction, orderAction, payAgainAction } from '#server/orders/pages.ts'
import type { FormAction, FormPage } from '#server/platform/pages/posted-form.ts'
import type { PageName } from '#shared/routes.ts'

export const formActions: { [Name in FormPage]: FormAction<Name> } = {
  contact: contactAction,
  login: loginAction,
  register: registerAction,
  forgotPassword: forgotPasswordAction,
  resetPassword: resetPasswordAction,
  accountDetails: accountDetailsAction,
  accountPassword: accountPasswordAction,
  accountDevices: accountDevicesAction,
  accountData: accountDataAction,
  checkout: payAgainAction,
  findOrder: findOrderAction,
  order: orderAction,
}

export function isFormPage(name: PageName): name is FormPage {
  return Object.hasOwn(formActions, name)
}
