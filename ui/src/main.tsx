import "@fontsource-variable/inter/index.css";
import "@fontsource-variable/jetbrains-mono/index.css";
import "./style/base.css";
import "./style/tokens.css";
import "./style/syntax.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { chooseHost } from "./host/choose.ts";
import { createAdroit } from "./store/adroit.ts";
import { App } from "./views/app/App.tsx";
import { showRemark } from "./views/app/remarks.ts";

async function main(): Promise<void> {
  const element = document.getElementById("root");
  if (element === null) {
    throw new Error("index.html has no #root element");
  }
  const root = createRoot(element);
  try {
    const adroit = createAdroit(await chooseHost(), showRemark);
    adroit.connect();
    root.render(
      <StrictMode>
        <App adroit={adroit} />
      </StrictMode>,
    );
    await adroit.projects.start();
  } catch (error) {
    root.render(<p role="alert">{error instanceof Error ? error.message : String(error)}</p>);
  }
}

void main();
