// Stands for @emotion/react, which writes styles into the page while it runs. No component here has a style of its own:
// looks are classes of the stylesheets, the page's security policy takes nothing else, and the build refuses the rest.
export { createElement as jsx } from "react";
