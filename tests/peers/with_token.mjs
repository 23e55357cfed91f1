// Adds a token to every request that a program makes: `node --import with_token.mjs program`. The suite that checks
// servers has no option for that.

import http from "node:http";
import { Agent, setGlobalDispatcher } from "undici";

const authorization = `Bearer ${process.env.RYE_TEST_TOKEN}`;
const withToken = (dispatch) => (options, handler) => {
  const headers = options.headers;
  const added = Array.isArray(headers)
    ? [...headers, "authorization", authorization]
    : { ...(headers?.[Symbol.iterator] ? Object.fromEntries(headers) : headers), authorization };
  return dispatch({ ...options, headers: added }, handler);
};
setGlobalDispatcher(new Agent().compose(withToken));

const request = http.request;
http.request = (...parameters) => request(...parameters).setHeader("authorization", authorization);
